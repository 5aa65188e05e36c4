// Puts the page together, and follows the address.

class View {
  constructor(history) {
    this.history = history;
    this.filters = new Filters(history);
    this.openIndex = null;
    this.opened = {};
    const { filters } = this;
    this.timeline = new Timeline(history, filters);
    this.charts = [this.timeline, new HeatMap(history, filters), new Growth(history),
      new Rank(history, filters, ["entity"]), new Rank(history, filters, ["attribute", "object"]), new Rank(history, filters, ["author", "bundle", "process"])];
    this.list = new TransactionList(this);
    this.search = new Search(this);
    this.bar = el("div", { class: "filters", role: "region", "aria-label": "Filters" });
    this.inspect = el("section", { class: "panel inspect", "aria-label": "Details" });
    this.inspect.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.open({});
    });
    this.head = head(this);
    const left = history.leftOut("transactions");
    this.work = el("div", { class: "work", id: "work" },
      el("section", { class: "panel list", "aria-labelledby": "list-title" },
        el("header", {}, el("h2", { id: "list-title" }, "Transactions"), this.search.element, el("span", { class: "spacer" }),
          left ? el("span", { class: "hint" }, `the newest ${number(history.transactions.length)}`) : null),
        this.list.box),
      this.inspect);
    this.element = el("div", { class: "wrap" }, this.head,
      el("main", { id: "main", class: "board" }, this.bar, el("div", { class: "charts" }, this.charts.map((chart) => chart.element)), this.work), ending());
    filters.onChange(() => this.filtered());
  }

  // Shows a transaction or an object, and puts it into the address.
  open(what) { address.go({ ...address.of(this.history), ...address.filters(this.filters), ...what }); }

  filtered() {
    if (!this.isReading) address.replace({ ...address.of(this.history), ...address.filters(this.filters), ...this.opened });
    this.showFilters();
    this.search.update();
    this.list.update();
    for (const chart of this.charts) chart.mark?.();
    for (const link of this.head.querySelectorAll("[data-kind]")) link.setAttribute("aria-pressed", String(this.filters.has("kind", link.dataset.kind)));
  }

  showFilters() {
    const { filters, history } = this;
    const { chips } = filters;
    this.bar.classList.toggle("on", chips.length > 0);
    const count = filters.indexes().length;
    const carried = history.transactions.length;
    replace(this.bar, chips.length === 0
      ? el("span", { class: "soft" }, this.allText())
      : [el("span", { class: "count" }, `${number(count)} of ${plural(carried, "transaction")}`),
        chips.map((chip) => View.chip(...chip)),
        button("Clear all", () => filters.clear())]);
    this.bar.append(el("span", { class: "spacer" }), el("a", { class: "link to-list", href: "#work", onclick: (event) => {
      event.preventDefault();
      this.work.scrollIntoView({ block: "start" });
      this.list.box.focus({ preventScroll: true });
    } }, "Go to the list \u2193"));
  }

  allText() {
    const { history } = this;
    const carried = history.transactions.length;
    if (carried === 0) return "No transactions";
    const all = `${carried > 1 ? "All " : ""}${plural(carried, "transaction")}`;
    return `${all}${history.leftOut("transactions") ? " of this report" : ""}. Click on a chart to filter them.`;
  }

  static chip(label, text, remove) {
    const shown = oneLine(text);
    return el("span", { class: "chip" },
      el("span", { title: shown }, el("span", { class: "of" }, label), el("bdi", {}, shown)),
      el("button", { type: "button", class: "x", "aria-label": `Remove filter ${label} ${shown}`, onclick: remove, "data-focus": `chip ${label}` }, "\u00d7"));
  }

  // Follows the parts of an address.
  read(parts) {
    if (!this.isRead || !address.isOf(parts, this.filters)) {
      this.isRead = this.isReading = true;
      address.apply(parts, this.filters);
      this.isReading = false;
    }
    const { history } = this;
    const { tx, object } = parts;
    const before = JSON.stringify(this.opened);
    this.opened = tx !== undefined ? { tx } : object !== undefined ? { object } : {};
    this.openIndex = tx !== undefined ? history.byNumber.get(tx) ?? null : null;
    const isOpen = tx !== undefined || object !== undefined;
    if (tx !== undefined) this.inspect.replaceChildren(...flat(this.openIndex === null ? missingTransaction(this, tx) : transactionView(this, this.openIndex)));
    else if (object !== undefined) this.inspect.replaceChildren(...flat(objectView(this, object)));
    else this.inspect.replaceChildren(...flat(objectPicker(this)));
    this.inspect.classList.toggle("open", isOpen);
    document.body.classList.toggle("still", isOpen && narrow());
    this.inspect.scrollTop = 0;
    this.list.markOpen();
    if (isOpen && before !== JSON.stringify(this.opened)) {
      const heading = this.inspect.querySelector("h2");
      say(heading.textContent);
      const box = this.inspect.getBoundingClientRect();
      if (box.bottom < 60 || box.top > innerHeight - 60) this.work.scrollIntoView({ block: "start" });
      // Arrow keys go on in the list; elsewhere the keyboard follows what was opened.
      if (this.inspect.contains(document.activeElement) || document.activeElement === document.body || narrow()) heading.focus({ preventScroll: true });
    } else if (!isOpen && before !== "{}" && narrow()) this.list.box.focus({ preventScroll: true });
  }
}

const flat = (children) => children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);

function missingTransaction(view, number) {
  const { history } = view;
  const { oldest, newest } = history.raw;
  const reason = oldest && Number(number) < Number(oldest.number) ? `The history begins at ${oldest.number}.`
    : newest && Number(number) > Number(newest.number) ? `The history ends at ${newest.number}.`
      : history.leftOut("transactions") ? "Older transactions were left out of this report for size." : "The history does not have it.";
  return [el("div", { class: "title" }, el("h2", { tabindex: -1 }, `Transaction ${oneLine(number)}`), closeButton(view)),
    el("p", { class: "soft section" }, `This transaction is not in this report. ${reason}`)];
}

const page = {
  views: new Map(),
  root: document.getElementById("page"),

  follow() {
    const parts = address.read();
    const position = histories.length === 1 ? 1 : Number(parts.store);
    const history = histories[position - 1];
    tip.hide();
    if (!history) {
      page.shown = null;
      document.body.classList.remove("still");
      const overview = new Overview();
      page.root.replaceChildren(page.skip(), overview.element);
      overview.timeline.fit();
      document.title = oneLine(report.title);
      return;
    }
    if (!page.views.has(history)) page.views.set(history, new View(history));
    const view = page.views.get(history);
    if (page.shown !== view) {
      page.shown = view;
      page.root.replaceChildren(page.skip(), view.element);
      for (const chart of view.charts) chart.fit?.();
      window.scrollTo(0, 0);
    }
    view.read(parts);
    const place = parts.tx ?? parts.object;
    document.title = [place, histories.length > 1 ? history.name : null, report.title].filter((one) => one != null).map(oneLine).join(" \u2013 ");
  },

  skip() {
    return el("a", { class: "skip", href: "#main", onclick: (event) => {
      event.preventDefault();
      const main = document.getElementById("main");
      main.setAttribute("tabindex", "-1");
      main.focus();
    } }, "Skip to the charts");
  },

  // Makes everything again, after a change of the time zone.
  rebuild() {
    page.views.clear();
    page.shown = null;
    page.follow();
    document.querySelector(".made [aria-pressed=true]")?.focus();
  },

  start() {
    clock.local = canBeLocal();
    window.addEventListener("hashchange", () => page.follow());
    // Print what is there, not what is in view.
    window.addEventListener("beforeprint", () => page.shown?.list.draw(true));
    window.addEventListener("afterprint", () => page.shown?.list.draw());
    page.follow();
    page.isStarted = true;
  },
};

page.start();
