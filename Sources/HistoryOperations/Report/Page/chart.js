// What the charts share: panels, ticks, the tip beside the pointer, and a table in place of a chart.

// Steps of an axis from 0: at most `count`, at round numbers.
function ticks(most, count, base = 10) {
  if (!(most > 0)) return [0];
  const rough = most / count;
  const power = base === 10 ? 10 ** Math.floor(Math.log10(rough)) : 1024 ** Math.max(0, Math.floor(Math.log(rough) / Math.log(1024)));
  const factors = base === 10 ? [1, 2, 5, 10] : [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
  const step = Math.max(1, power * factors.find((factor) => power * factor >= rough));
  const found = [];
  for (let value = 0; value <= most + step * 1e-9; value += step) found.push(value);
  return found;
}

const compact = (value) =>
  value >= 1e6 ? `${Number((value / 1e6).toFixed(1))}M` : value >= 1e4 ? `${Number((value / 1e3).toFixed(1))}k` : number(value);

const swatch = (colour) => el("span", { class: `swatch b${colour}` });

const tip = {
  show(event, when, items, note) {
    const box = document.getElementById("tip");
    box.replaceChildren(
      el("div", { class: "when" }, when),
      ...items.map(([colour, name, count]) => el("div", { class: "item" }, colour === null ? null : swatch(colour),
        el("span", { class: "name" }, name), el("span", { class: "count" }, count))),
      ...(note ? [el("div", { class: "quiet" }, note)] : []));
    box.hidden = false;
    const { offsetWidth: width, offsetHeight: height } = box;
    const [x, y] = event.clientX === undefined ? tip.corner(event) : [event.clientX, event.clientY];
    const left = x + 16 + width > innerWidth ? Math.max(4, x - width - 16) : x + 16;
    const top = Math.max(4, Math.min(innerHeight - height - 4, y - height - 12 < 4 ? y + 18 : y - height - 12));
    box.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  },

  // Where the tip of a keyboard cursor goes.
  corner(element) {
    const box = element.getBoundingClientRect();
    return [box.right, box.top];
  },

  hide() { document.getElementById("tip").hidden = true; },
};

// A chart in a panel. `draw(width)` fills the plot; `table()` returns headings and rows.
class Chart {
  constructor(className, title, hint) {
    this.heading = el("h2", { id: `title-${className}` }, title);
    this.controls = el("span", { class: "switches" });
    this.asTable = false;
    this.tableButton = button("Table", () => this.showTable(!this.asTable), { "aria-pressed": "false", "aria-label": `${title}: show as table` });
    this.plot = el("div", { class: "plot", tabindex: 0, role: "application", "aria-roledescription": "chart", "aria-labelledby": `title-${className}` });
    this.legend = el("div", { class: "legend" });
    this.box = el("div", { class: "table-box", tabindex: 0, hidden: true, role: "region", "aria-labelledby": `title-${className}` });
    this.element = el("section", { class: `panel ${className}`, "aria-labelledby": `title-${className}` },
      el("header", {}, this.heading, el("span", { class: "spacer" }), this.controls, this.tableButton),
      this.plot, this.box, this.legend);
    if (hint) this.plot.setAttribute("aria-description", hint);
    this.plot.addEventListener("pointerleave", () => tip.hide());
    this.plot.addEventListener("blur", () => tip.hide());
    this.width = 0;
    new ResizeObserver(() => this.fit()).observe(this.plot);
  }

  // Draws where the width is new.
  fit() {
    const width = this.plot.clientWidth;
    if (width === 0 || width === this.width) return;
    this.width = width;
    this.draw();
  }

  redraw() {
    if (this.width > 0) this.draw();
    if (this.asTable) this.fillTable();
  }

  showTable(on) {
    this.asTable = on;
    this.tableButton.setAttribute("aria-pressed", String(on));
    this.tableButton.textContent = on ? "Chart" : "Table";
    this.plot.hidden = on;
    this.box.hidden = !on;
    if (on) this.fillTable();
  }

  fillTable() {
    const { headings, rows } = this.table();
    const most = 1000;
    this.box.replaceChildren(rows.length === 0 ? el("p", { class: "empty" }, "Nothing to show.") : el("table", {},
      el("thead", {}, el("tr", {}, headings.map((heading, at) => el("th", { scope: "col", class: at > 0 && "number" }, heading)))),
      el("tbody", {}, rows.slice(0, most).map((row) => el("tr", {}, row.map((cell, at) =>
        at === 0 ? el("th", { scope: "row" }, cell) : el("td", { class: "number" }, cell)))))));
    if (rows.length > most) this.box.append(el("p", { class: "cut" }, `The first ${number(most)} of ${number(rows.length)} rows. Zoom in for the others.`));
  }
}
