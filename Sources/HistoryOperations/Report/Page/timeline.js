// Saves over time, stacked by author or another dimension.

const LEVELS = ["hour", "day", "week", "month", "year"];
const LEVEL_LENGTHS = { hour: HOUR, day: 24 * HOUR, week: 168 * HOUR, month: 730.5 * HOUR, year: 8766 * HOUR };
const MOST_BARS = 1500;

class Timeline extends Chart {
  constructor(history, filters, dimensions = DIMENSIONS) {
    super("timeline", "Activity", `Left and right arrow keys move between the bars, ${
      dimensions.length > 1 ? "Enter filters the transactions, " : ""}plus and minus zoom, 0 shows everything.`);
    this.history = history;
    this.filters = filters;
    this.dimensions = dimensions;
    [this.dimension] = dimensions;
    this.measure = "transactions";
    this.level = "auto";
    this.view = null;
    this.cursor = -1;
    this.plot.classList.add("drag");
    this.listen();
    this.showControls();
  }

  get domain() {
    const span = this.history.span;
    if (!span) return null;
    // A history of less than a day is shown as the day around it.
    if (span[1] - span[0] < 24 * HOUR) {
      const first = clock.floor(span[0], "day");
      return [first, clock.next(clock.floor(span[1] - 1, "day"), "day")];
    }
    return span;
  }

  // The shortest periods that a bin fits into.
  get levels() {
    return LEVELS.filter((level) => LEVEL_LENGTHS[level] >= this.history.binHours * HOUR);
  }

  barsAt(level, [from, to]) { return (to - from) / LEVEL_LENGTHS[level]; }

  currentLevel(view) {
    const { levels } = this;
    if (this.level !== "auto" && levels.includes(this.level) && this.barsAt(this.level, view) <= MOST_BARS) return this.level;
    return levels.find((level) => this.barsAt(level, view) <= Math.max(24, this.width / 7)) ?? "year";
  }

  // Bars of the view: their beginnings, and one more for the end.
  layOut() {
    const domain = this.domain;
    if (!domain) return null;
    const view = this.view ?? domain;
    const level = this.currentLevel(view);
    const starts = [];
    let at = clock.floor(view[0], level);
    while (at < view[1]) {
      starts.push(at);
      at = clock.next(at, level);
    }
    return { level, starts, end: at, view: [starts[0], at] };
  }

  count(layout) {
    const { history } = this;
    const stack = history.stack(this.dimension);
    const { start } = history.bins;
    const bars = new Int32Array(start.length).fill(-1);
    let bar = 0;
    for (let bin = 0; bin < start.length; bin += 1) {
      if (start[bin] < layout.starts[0]) continue;
      if (start[bin] >= layout.end) break;
      while (bar + 1 < layout.starts.length && layout.starts[bar + 1] <= start[bin]) bar += 1;
      bars[bin] = bar;
    }
    const series = stack.names.length + (stack.hasOthers ? 1 : 0);
    const width = layout.starts.length;
    const counts = Array.from({ length: series }, () => new Float64Array(width));
    const totals = { transactions: new Float64Array(width), changes: new Float64Array(width) };
    for (let bin = 0; bin < start.length; bin += 1) {
      if (bars[bin] < 0) continue;
      totals.transactions[bars[bin]] += history.bins.transactions[bin];
      totals.changes[bars[bin]] += history.bins.changes[bin];
    }
    const values = stack[this.measure];
    for (let at = 0; at < stack.bin.length; at += 1) {
      const place = bars[stack.bin[at]];
      if (place >= 0) counts[stack.name[at]][place] += values[at];
    }
    const names = [...stack.names, ...(stack.hasOthers ? [undefined] : [])];
    return { names, counts, totals, others: stack.others };
  }

  showControls() {
    const { history } = this;
    const layout = this.width > 0 ? this.layOut() : null;
    const view = layout?.view ?? this.domain;
    const set = (name) => (value) => {
      this[name] = value;
      if (name === "dimension") this.measure = value === "entity" || value === "kind" ? "changes" : this.measure;
      this.cursor = -1;
      this.showControls();
      this.redraw();
    };
    const ofObjects = this.dimension === "entity" || this.dimension === "kind";
    replace(this.controls,
      this.dimensions.length > 1
        ? choice("Stack by", this.dimensions.map((one) => [one, one[0].toUpperCase() + one.slice(1)]), this.dimension, set("dimension")) : null,
      choice("Count", [["transactions", "Saves", ofObjects], ["changes", "Changes"]], this.measure, set("measure")),
      choice("Length of a bar", [["auto", "Auto"], ...LEVELS.map((level) =>
        [level, level[0].toUpperCase() + level.slice(1), !view || !this.levels.includes(level) || this.barsAt(level, view) > MOST_BARS])],
      this.level, set("level")),
      el("span", { class: "zoom", role: "group", "aria-label": "Zoom" },
        button("\u2212", () => this.zoom(2), { class: "button square", "aria-label": "Zoom out", disabled: !this.view, "data-focus": "out" }),
        button("+", () => this.zoom(0.5), { class: "button square", "aria-label": "Zoom in", disabled: history.isEmpty, "data-focus": "in" }),
        button("All", () => this.showAll(), { disabled: !this.view && !this.filters.range, "data-focus": "all" })));
  }

  // Shows what the filters are now.
  mark() {
    this.showControls();
    this.redraw();
  }

  setView(view) {
    const domain = this.domain;
    this.view = view && (view[0] > domain[0] || view[1] < domain[1]) ? view : null;
    this.cursor = -1;
    tip.hide();
    this.showControls();
    this.redraw();
  }

  showAll() {
    this.setView(null);
    if (this.filters.range) this.filters.setRange(null);
  }

  // Zooms around the cursor, the filter or the middle.
  zoom(factor) {
    const layout = this.layOut();
    if (!layout) return;
    const { view } = layout;
    const shortest = 6 * this.history.binHours * HOUR;
    const [from, to] = this.filters.range ?? view;
    const chosen = this.cursor >= 0 ? layout.starts[this.cursor] : (from + to) / 2;
    const middle = Math.min(view[1], Math.max(view[0], chosen));
    const length = Math.max(shortest, (view[1] - view[0]) * factor);
    this.setView(this.within([middle - length / 2, middle + length / 2]));
  }

  within([from, to]) {
    const [first, last] = this.domain;
    const length = Math.min(to - from, last - first);
    const start = Math.max(first, Math.min(from, last - length));
    return [start, start + length];
  }

  pan(direction) {
    if (!this.view) return;
    const step = (this.view[1] - this.view[0]) * 0.25 * direction;
    this.setView(this.within([this.view[0] + step, this.view[1] + step]));
  }

  get margins() { return { left: 40, right: 4, top: 8, bottom: 22, height: 210 }; }

  draw() {
    const layout = (this.layout = this.layOut());
    const { heading, history, width } = this;
    if (!layout) {
      heading.textContent = "Activity";
      this.plot.replaceChildren(el("p", { class: "empty" }, history.isEmpty ? "This history has no transactions." : "No transaction has a usable time."));
      this.legend.replaceChildren();
      return;
    }
    const { left, right, top, bottom, height } = this.margins;
    const counted = (this.counted = this.count(layout));
    const bars = layout.starts.length;
    const step = (width - left - right) / bars;
    this.step = step;
    const sums = (this.sums = new Float64Array(bars));
    for (const series of counted.counts) for (let bar = 0; bar < bars; bar += 1) sums[bar] += series[bar];
    const most = Math.max(4, ...sums) * 1.04;
    const marks = ticks(most, 4);
    const scale = (height - top - bottom) / most;
    const base = height - bottom;
    const gap = step > 4 ? Math.min(3, step * 0.18) : 0;
    const thick = Math.min(56, step - gap);
    const inset = (step - thick) / 2;

    const parts = marks.map((value) => svg("g", {},
      svg("line", { class: value === 0 ? "axis" : "grid", x1: left, x2: width - right, y1: base - value * scale, y2: base - value * scale }),
      svg("text", { x: left - 8, y: base - value * scale + 4, "text-anchor": "end" }, compact(value))));
    const tops = new Float64Array(bars);
    counted.counts.forEach((series, index) => {
      let path = "";
      for (let bar = 0; bar < bars; bar += 1) {
        if (series[bar] === 0) continue;
        const [y0, y1] = [base - tops[bar] * scale, base - (tops[bar] + series[bar]) * scale];
        tops[bar] += series[bar];
        path += `M${(left + bar * step + inset).toFixed(2)} ${y0.toFixed(2)}h${thick.toFixed(2)}V${y1.toFixed(2)}h${(-thick).toFixed(2)}z`;
      }
      const name = counted.names[index];
      const isDim = this.dimension in this.filters.chosen && this.filters.chosen[this.dimension] !== name;
      parts.push(svg("path", { class: `series f${name === undefined ? "other" : history.colour(this.dimension, name)}${isDim ? " dim" : ""}`, d: path }));
    });
    parts.push(...this.labels(layout, left, step, base));
    parts.push(...this.veil(layout, left, step, top, base, width - right));
    this.band = svg("rect", { class: "band", y: top, height: base - top, visibility: "hidden" });
    this.hover = svg("rect", { class: "hover", y: top, height: base - top, width: step, visibility: "hidden" });
    this.ring = svg("rect", { class: "cursor", y: top, height: base - top, width: step, rx: 3, visibility: "hidden" });
    parts.push(this.band, this.hover, this.ring);
    this.plot.replaceChildren(
      svg("svg", { viewBox: `0 0 ${width} ${height}`, height, "aria-hidden": "true" }, parts), this.strip(layout));
    this.placeCursor();
    heading.textContent = `${this.measure === "changes" ? "Changes" : "Saves"} by ${layout.level}`;
    this.showLegend(counted);
  }

  // Greys out what the time filter leaves out.
  veil(layout, left, step, top, base, end) {
    const { range } = this.filters;
    if (!range) return [];
    const x = (time) => {
      let bar = layout.starts.findIndex((start) => start >= time);
      if (bar < 0) bar = time >= layout.end ? layout.starts.length : layout.starts.length - 1;
      return left + bar * step;
    };
    const [from, to] = [x(range[0]), Math.max(x(range[0]) + 1, x(range[1]))];
    const shade = (x1, x2) => x2 > x1 && svg("rect", { class: "veil", x: x1, width: x2 - x1, y: top, height: base - top });
    return [shade(left, from), shade(to, end),
      svg("rect", { class: "picked-range", x: from, width: Math.max(1, to - from), y: base + 1, height: 3 })].filter(Boolean);
  }

  labels(layout, left, step, base) {
    const { level, starts } = layout;
    const found = [];
    const taken = [];
    const place = (bar, text, strong) => {
      const wide = text.length * 6.2 + 14;
      const x = left + bar * step;
      if (x + wide - 10 > this.width || taken.some(([from, to]) => x < to && x + wide > from)) return;
      taken.push([x, x + wide]);
      found.push(svg("line", { class: "axis", x1: x, x2: x, y1: base, y2: base + 5 }),
        svg("text", { x: x + 3, y: base + 16, class: strong ? "strong" : null }, text));
    };
    const parts = starts.map((start) => clock.parts(start));
    const turns = { hour: 2, day: 1, week: 1, month: 0, year: null }[level];
    const name = ([year, month, day], first) => level === "hour" ? `${day} ${MONTHS[month]}${first ? ` ${year}` : ""}`
      : level === "month" ? String(year) : `${MONTHS[month]}${first || month === 0 ? ` ${year}` : ""}`;
    if (level === "year") {
      parts.forEach((part, bar) => place(bar, String(part[0]), false));
      return found;
    }
    // The first label has the year. A part of a period at the beginning has none where the next label needs the place.
    const majors = parts.flatMap((part, bar) => (bar === 0 || part[turns] !== parts[bar - 1][turns] ? [bar] : []));
    const first = (bar) => (level === "day" && parts[bar][2] > 1 ? `${parts[bar][2]} ` : "") + name(parts[bar], true);
    if (majors.length > 1 && majors[1] * step < first(0).length * 6.2 + 14) majors.shift();
    majors.forEach((bar, at) => place(bar, at === 0 ? first(bar) : name(parts[bar], false), true));
    const every = { hour: [6, 3, 2, 1], day: [7, 2, 1], week: step > 26 ? [1] : [], month: [6, 3, 1] }[level];
    for (const multiple of every) {
      parts.forEach((part, bar) => {
        if (level === "hour" && part[3] % multiple === 0 && part[3] > 0) place(bar, `${two(part[3])}:00`, false);
        if (level === "day" && (multiple === 7 ? part[6] === 1 : part[2] % multiple === 0)) place(bar, String(part[2]), false);
        if (level === "week") place(bar, String(part[2]), false);
        if (level === "month" && part[1] % multiple === 0) place(bar, MONTHS[part[1]], false);
      });
    }
    return found;
  }

  // The whole history below a part of it, with the part marked.
  strip(layout) {
    if (!this.view) return "";
    const { left, right } = this.margins;
    const [from, to] = this.domain;
    const width = this.width - left - right;
    const columns = Math.max(1, Math.floor(width / 3));
    const counts = new Float64Array(columns);
    const { bins } = this.history;
    bins.start.forEach((start, bin) => {
      counts[Math.min(columns - 1, Math.max(0, Math.floor(((start - from) / (to - from)) * columns)))] += bins[this.measure][bin];
    });
    const most = Math.max(1, ...counts);
    let path = "";
    counts.forEach((count, column) => {
      if (count === 0) return;
      const tall = Math.max(1.5, (count / most) * 22);
      path += `M${(left + (column * width) / columns).toFixed(1)} 28v${(-tall).toFixed(1)}h${(width / columns).toFixed(2)}v${tall.toFixed(1)}z`;
    });
    const x = (time) => left + ((Math.min(to, Math.max(from, time)) - from) / (to - from)) * width;
    const [x0, x1] = [x(layout.view[0]), x(layout.view[1])];
    return svg("svg", {
      class: "strip", viewBox: `0 0 ${this.width} 30`, height: 30, "aria-hidden": "true",
      onpointerdown: (event) => {
        event.stopPropagation();
        const time = from + ((event.offsetX - left) / width) * (to - from);
        const half = (this.view[1] - this.view[0]) / 2;
        this.setView(this.within([time - half, time + half]));
      },
    }, svg("rect", { class: "hit", x: 0, y: 0, width: this.width, height: 30 }), svg("path", { class: "fother", d: path }),
    svg("line", { class: "axis", x1: left, x2: left + width, y1: 28.5, y2: 28.5 }),
    svg("rect", { class: "band", x: x0, width: Math.max(3, x1 - x0), y: 2, height: 27, rx: 2 }));
  }

  showLegend(counted) {
    const sums = counted.counts.map((series) => series.reduce((sum, count) => sum + count, 0));
    const keys = counted.names.map((name, index) => {
      const count = el("span", { class: "count" }, number(sums[index]));
      if (name === undefined) {
        return el("span", { class: "key" }, swatch("other"),
          typeof counted.others === "number" ? `${number(counted.others)} more` : "others", count);
      }
      return el("button", {
        type: "button", "aria-pressed": String(this.filters.has(this.dimension, name)), title: this.nameOf(name), "data-value": `key ${index}`,
        onclick: () => this.filters.toggle(this.dimension, name),
      }, swatch(this.history.colour(this.dimension, name)), el("bdi", { class: `name${name === null ? " none-name" : ""}` }, this.nameOf(name)), count);
    });
    const missing = this.history.raw.withoutTime?.[ROW.transactions];
    replace(this.legend, keys, missing ? el("span", { class: "key quiet" }, `${plural(missing, "transaction")} without a usable time: in no bar`) : null);
  }

  // The name of a series; the names that have none of their own together are undefined.
  nameOf(name) {
    if (name === undefined) return "others";
    return this.dimension === "kind" ? name ?? "other" : named(name);
  }

  // A bar in words: for the tip, and for screen readers.
  describe(bar) {
    const { level, starts } = this.layout;
    const items = [];
    this.counted.counts.forEach((series, index) => {
      if (series[bar] === 0) return;
      const name = this.counted.names[index];
      const colour = name === undefined ? "other" : this.history.colour(this.dimension, name);
      items.push([colour, this.nameOf(name), number(series[bar]), series[bar]]);
    });
    items.sort((a, b) => b[3] - a[3]);
    const totals = this.counted.totals;
    return {
      title: clock.period(starts[bar], level), items: items.slice(0, 9),
      note: totals.transactions[bar] === 0 ? "no transactions" : `${plural(totals.transactions[bar], "transaction")}, ${plural(totals.changes[bar], "change")}`,
    };
  }

  barAt(x) {
    const bar = Math.floor((x - this.margins.left) / this.step);
    return Math.max(0, Math.min(this.layout.starts.length - 1, bar));
  }

  rangeOf(first, last) {
    const { starts, end } = this.layout;
    return [starts[first], last + 1 < starts.length ? starts[last + 1] : end];
  }

  pick(bar) {
    const range = this.rangeOf(bar, bar);
    const { range: old } = this.filters;
    this.filters.setRange((old && old[0] === range[0] && old[1] === range[1]) || this.counted.totals.transactions[bar] === 0 ? null : range);
  }

  listen() {
    const { plot } = this;
    let from = null;
    let dragged = false;
    const place = (rect, first, last) => {
      rect.setAttribute("x", this.margins.left + first * this.step);
      rect.setAttribute("width", (last - first + 1) * this.step);
      rect.setAttribute("visibility", "visible");
    };
    const x = (event) => event.clientX - plot.getBoundingClientRect().left;
    plot.addEventListener("pointerdown", (event) => {
      if (!this.layout || event.button !== 0) return;
      from = x(event);
      dragged = false;
      plot.setPointerCapture(event.pointerId);
    });
    plot.addEventListener("pointermove", (event) => {
      if (!this.layout) return;
      const bar = this.barAt(x(event));
      if (from !== null && Math.abs(x(event) - from) > 5) dragged = true;
      if (from !== null && dragged) {
        const [first, last] = [this.barAt(from), bar].sort((a, b) => a - b);
        place(this.band, first, last);
        this.hover.setAttribute("visibility", "hidden");
        tip.show(event, clock.range(...this.rangeOf(first, last)), [], "release to zoom");
        return;
      }
      place(this.hover, bar, bar);
      const { title, items, note } = this.describe(bar);
      tip.show(event, title, items, note);
    });
    plot.addEventListener("pointerleave", () => this.hover?.setAttribute("visibility", "hidden"));
    plot.addEventListener("pointercancel", () => {
      from = null;
      this.band?.setAttribute("visibility", "hidden");
    });
    plot.addEventListener("pointerup", (event) => {
      if (from === null || !this.layout) return;
      const [first, last] = [this.barAt(from), this.barAt(x(event))].sort((a, b) => a - b);
      from = null;
      if (!dragged) {
        this.cursor = first;
        this.pick(first);
        return;
      }
      const range = this.rangeOf(first, last);
      this.setView(range);
      this.filters.setRange(range);
    });
    plot.addEventListener("keydown", (event) => this.press(event));
    plot.addEventListener("focus", () => this.placeCursor());
    plot.addEventListener("blur", () => this.ring?.setAttribute("visibility", "hidden"));
  }

  press(event) {
    if (!this.layout || event.ctrlKey || event.metaKey || event.altKey) return;
    const last = this.layout.starts.length - 1;
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step && event.shiftKey) this.pan(step);
    else if (step) this.move(this.cursor < 0 ? (step > 0 ? 0 : last) : this.cursor + step);
    else if (event.key === "Home") this.move(0);
    else if (event.key === "End") this.move(last);
    else if ((event.key === "Enter" || event.key === " ") && this.cursor >= 0) this.pick(this.cursor);
    else if (event.key === "+" || event.key === "=") this.zoom(0.5);
    else if (event.key === "-") this.zoom(2);
    else if (event.key === "0" || event.key === "Escape") this.showAll();
    else return;
    event.preventDefault();
  }

  move(bar) {
    this.cursor = Math.max(0, Math.min(this.layout.starts.length - 1, bar));
    this.placeCursor();
    const { title, items, note } = this.describe(this.cursor);
    tip.show(this.ring, title, items, note);
    say(`${title}: ${note}${items.map(([, name, count]) => `, ${name} ${count}`).join("")}`);
  }

  placeCursor() {
    if (!this.ring) return;
    const shown = this.cursor >= 0 && document.activeElement === this.plot;
    this.ring.setAttribute("visibility", shown ? "visible" : "hidden");
    this.ring.setAttribute("x", this.margins.left + Math.max(0, this.cursor) * this.step);
  }

  table() {
    const layout = this.layOut();
    if (!layout) return { headings: [], rows: [] };
    const { names, counts, totals } = this.count(layout);
    const rows = layout.starts.map((start, bar) => [clock.period(start, layout.level), number(totals.transactions[bar]),
      number(totals.changes[bar]), ...counts.map((series) => number(series[bar]))]).filter((_, bar) => totals.transactions[bar] > 0);
    return {
      headings: ["Time", "Transactions", "Changes", ...names.map((name) => this.nameOf(name))],
      rows,
    };
  }
}
