// The list of transactions. Only the rows in view are elements.

class TransactionList {
  constructor(view) {
    this.view = view;
    this.history = view.history;
    this.filters = view.filters;
    this.at = -1;
    this.space = el("div", { class: "space", role: "presentation" });
    this.box = el("div", {
      class: "rows", tabindex: 0, role: "listbox", "aria-label": "Transactions, newest first",
      onscroll: () => this.later(), onkeydown: (event) => this.press(event),
      onclick: (event) => {
        const row = event.target.closest(".row");
        if (row) this.choose(Number(row.dataset.position));
      },
    }, this.space);
    new ResizeObserver(() => {
      this.box.classList.toggle("tight", this.box.clientWidth < 520);
      this.draw();
    }).observe(this.box);
  }

  get rowHeight() { return this.box.classList.contains("tight") ? 52 : 34; }

  // Shows the transactions that match now.
  update() {
    this.indexes = this.filters.indexes();
    const open = this.view.openIndex;
    this.at = open === null ? -1 : this.indexes.indexOf(open);
    this.box.scrollTop = 0;
    this.draw();
  }

  later() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  draw(all = false) {
    if (!this.indexes) return;
    const tall = this.rowHeight;
    // A short history needs a short list.
    this.box.style.maxHeight = `${Math.max(140, this.history.transactions.length * tall + 1)}px`;
    this.space.style.height = `${this.indexes.length * tall}px`;
    this.space.style.minHeight = "100%";
    const extra = 6;
    const first = all ? 0 : Math.max(0, Math.floor(this.box.scrollTop / tall) - extra);
    const end = all ? 200 : Math.ceil((this.box.scrollTop + this.box.clientHeight) / tall) + extra;
    const last = Math.min(this.indexes.length, end);
    if (this.indexes.length === 0) {
      this.space.replaceChildren(el("p", { class: "empty" }, this.history.isEmpty ? "This history has no transactions." : this.emptyReason()));
      return;
    }
    const rows = [];
    let day = first > 0 ? this.day(first - 1) : "";
    const top = Math.floor(this.box.scrollTop / tall);
    for (let position = first; position < last; position += 1) {
      const now = this.day(position);
      rows.push(this.row(position, tall, now === day && position !== top ? "" : now, position > 0 && now !== day));
      day = now;
    }
    this.space.replaceChildren(...rows);
    if (this.at >= first && this.at < last) this.box.setAttribute("aria-activedescendant", `row-${this.at}`);
    else this.box.removeAttribute("aria-activedescendant");
  }

  emptyReason() {
    const left = this.history.leftOut("transactions");
    return left ? "No transaction in this report matches. Older ones were left out." : "No transaction matches.";
  }

  day(position) {
    const time = milliseconds(this.history.transactions[this.indexes[position]][TX.time]);
    return time === null ? "no time" : clock.date(time);
  }

  row(position, tall, day, isNewDay) {
    const { history } = this;
    const index = this.indexes[position];
    const tx = history.transactions[index];
    const author = history.text(tx[TX.author]);
    const process = history.text(tx[TX.process]);
    const time = milliseconds(tx[TX.time]);
    const row = el("div", {
      class: `row${isNewDay ? " day" : ""}${index === this.view.openIndex ? " picked" : ""}${position === this.at ? " at" : ""}`,
      role: "option", id: `row-${position}`, "data-position": position, "data-tx": tx[TX.number],
      "aria-selected": String(index === this.view.openIndex), "aria-setsize": this.indexes.length, "aria-posinset": position + 1,
    },
    el("span", { class: "token" }, String(tx[TX.number])), el("span", { class: "date" }, day),
    el("span", { class: "time" }, time === null ? "" : clock.second(time)),
    el("span", { class: "who", title: `${named(author)}, ${named(process)}` }, swatch(history.colour("author", author)),
      el("bdi", { class: `name${author === null ? " none-name" : ""}` }, named(author))),
    el("span", { class: "what" }, this.summary(tx)));
    row.style.top = `${position * tall}px`;
    return row;
  }

  // Entities with the counts of their changes: "Trip +1 ~2".
  summary(tx) {
    const counts = new Map();
    for (const change of tx[TX.changes]) {
      const of = counts.get(change[CHANGE.entity]) ?? counts.set(change[CHANGE.entity], [0, 0, 0, 0]).get(change[CHANGE.entity]);
      of[change[CHANGE.kind]] += 1;
    }
    const parts = [...counts].slice(0, 8).map(([entity, kinds]) => el("span", { class: "one" },
      el("bdi", {}, oneLine(this.history.entity(entity) ?? "unknown entity")),
      kinds.map((count, kind) => (count ? el("span", { class: `t${KINDS[kind]}` }, `${MARKS[kind]}${number(count)}`) : null))));
    const left = tx[TX.total] - tx[TX.changes].length;
    if (left > 0) parts.push(el("span", { class: "one quiet" }, `${number(left)} more`));
    else if (tx[TX.total] === 0) parts.push(el("span", { class: "quiet" }, "no changes"));
    return parts;
  }

  press(event) {
    const page = Math.max(1, Math.floor(this.box.clientHeight / this.rowHeight) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key in steps) {
      event.preventDefault();
      this.move(Math.max(0, Math.min(this.indexes.length - 1, (this.at < 0 ? (steps[event.key] > 0 ? -1 : 0) : this.at) + steps[event.key])));
    } else if ((event.key === "Enter" || event.key === " ") && this.at >= 0) {
      event.preventDefault();
      this.choose(this.at);
    }
  }

  move(position) {
    if (this.indexes.length === 0) return;
    this.at = position;
    this.show(position);
    this.draw();
  }

  // Scrolls a row into view.
  show(position) {
    const tall = this.rowHeight;
    const { scrollTop, clientHeight } = this.box;
    if (position * tall < scrollTop) this.box.scrollTop = position * tall;
    else if ((position + 1) * tall > scrollTop + clientHeight) this.box.scrollTop = (position + 1) * tall - clientHeight;
  }

  // The transaction before or after another one, of those that match where it is one of them.
  beside(index, step) {
    const position = this.indexes.indexOf(index);
    return position < 0 ? index + step : this.indexes[position + step] ?? -1;
  }

  choose(position) {
    this.at = position;
    this.view.open({ tx: this.history.transactions[this.indexes[position]][TX.number] });
  }

  // Marks what is open, and scrolls to it where it is not in view.
  markOpen() {
    if (!this.indexes) return;
    const open = this.view.openIndex;
    if (open !== null) {
      const position = this.indexes.indexOf(open);
      if (position >= 0) {
        this.at = position;
        this.show(position);
      }
    }
    this.draw();
  }
}
