// The search field above the list, with offers of objects and transactions.

class Search {
  constructor(view) {
    this.view = view;
    this.offers = [];
    this.at = -1;
    this.input = el("input", {
      type: "search", placeholder: "Search names, objects, values", "aria-label": "Search transactions", spellcheck: "false", autocomplete: "off",
      role: "combobox", "aria-expanded": "false", "aria-controls": "offers", "aria-autocomplete": "list",
      oninput: () => this.typed(), onkeydown: (event) => this.press(event), onblur: () => setTimeout(() => this.hide(), 150),
    });
    this.list = el("ul", { class: "offers", id: "offers", role: "listbox", "aria-label": "Objects and transactions", hidden: true });
    this.element = el("div", { class: "search" }, searchIcon(), this.input, this.list);
    this.warm();
  }

  // Prepares what search looks through while nothing else is to do.
  warm() {
    const idle = window.requestIdleCallback ?? ((work) => setTimeout(() => work({ timeRemaining: () => 10 }), 30));
    const { history } = this.view;
    let index = 0;
    const work = (deadline) => {
      while (index < history.transactions.length && deadline.timeRemaining() > 2) history.haystack(index++);
      if (index < history.transactions.length) idle(work);
      else history.objects;
    };
    idle(work);
  }

  typed() {
    this.view.filters.setQuery(this.input.value);
    this.offer();
  }

  update() {
    if (this.input.value.trim() !== this.view.filters.query) this.input.value = this.view.filters.query;
  }

  offer() {
    const { history } = this.view;
    const query = this.input.value.trim().toLowerCase();
    this.offers = [];
    if (/^#?\d+$/.test(query) && history.byNumber.has(query.replace("#", ""))) {
      this.offers.push({ text: `Transaction ${query.replace("#", "")}`, open: { tx: query.replace("#", "") } });
    }
    if (query.length > 1) {
      history.objects;
      const found = history.objectsByActivity.filter((life) => life.name.toLowerCase().includes(query));
      // The object of that name before those that begin with it, and those before the others.
      const order = ({ name }) => (name.toLowerCase() === query ? 0 : name.toLowerCase().startsWith(query) ? 1 : 2);
      for (const life of found.sort((a, b) => order(a) - order(b)).slice(0, 8)) {
        this.offers.push({ text: life.name, note: plural(life.changes.length, "change"), open: { object: life.name } });
      }
    }
    this.at = -1;
    this.list.replaceChildren(...this.offers.map((offer, index) => el("li", {
      role: "option", id: `offer-${index}`, "aria-selected": "false",
      onpointerdown: (event) => {
        event.preventDefault();
        this.take(index);
      },
    }, own(offer.text), offer.note ? el("span", { class: "quiet" }, offer.note) : null)));
    this.list.hidden = this.offers.length === 0;
    this.input.setAttribute("aria-expanded", String(!this.list.hidden));
  }

  hide() {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  press(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && !this.list.hidden) {
      event.preventDefault();
      this.at = Math.max(-1, Math.min(this.offers.length - 1, this.at + step));
      [...this.list.children].forEach((item, index) => item.setAttribute("aria-selected", String(index === this.at)));
      if (this.at >= 0) this.input.setAttribute("aria-activedescendant", `offer-${this.at}`);
      else this.input.removeAttribute("aria-activedescendant");
    } else if (event.key === "Enter" && this.at >= 0) {
      event.preventDefault();
      this.take(this.at);
    } else if (event.key === "Escape" && !this.list.hidden) {
      event.preventDefault();
      this.hide();
    }
  }

  // Opens an offer; the text that led to it is no filter.
  take(index) {
    const { open } = this.offers[index];
    this.hide();
    this.view.filters.setQuery("");
    this.view.open(open);
  }
}
