// When in the week a history was busy: a cell for each hour of each weekday.

class HeatMap extends Chart {
  constructor(history, filters) {
    super("heat", "Busy hours", "Arrow keys move between the hours of the week, Enter filters the transactions.");
    this.history = history;
    this.filters = filters;
    this.cursor = -1;
    this.legend.className = "scale";
    this.listen();
  }

  // Of transactions, in the time zone of the page where bins are an hour long.
  get counts() {
    const { history } = this;
    const { bins, binHours, raw } = history;
    if (binHours !== 1) return raw.heat?.transactions ?? new Array(168).fill(0);
    const counts = new Array(168).fill(0);
    bins.start.forEach((start, bin) => {
      const parts = clock.parts(start);
      counts[((parts[6] + 6) % 7) * 24 + parts[3]] += bins.transactions[bin];
    });
    return counts;
  }

  // Of a cell with this share of the most. The root keeps small counts visible.
  static opacity(share) { return share > 0 ? (0.14 + 0.86 * Math.sqrt(share)).toFixed(3) : null; }

  draw() {
    const counts = (this.cells = this.counts);
    const most = Math.max(...counts);
    const { width } = this;
    const [left, right, top] = [34, width < 420 ? 0 : 44, 18];
    const wide = (width - left - right) / 24;
    const tall = Math.max(18, Math.min(26, wide));
    Object.assign(this, { left, top, wide, tall });
    const parts = [];
    for (let hour = 0; hour < 24; hour += 3) {
      parts.push(svg("text", { x: left + hour * wide + 1, y: 11 }, two(hour)));
    }
    for (let day = 0; day < 7; day += 1) {
      const middle = top + day * tall + tall / 2 + 4;
      parts.push(svg("text", { x: left - 8, y: middle, "text-anchor": "end" }, WEEKDAYS[day]));
      const sum = counts.slice(day * 24, day * 24 + 24).reduce((total, count) => total + count, 0);
      if (right) parts.push(svg("text", { x: width, y: middle, "text-anchor": "end" }, compact(sum)));
      for (let hour = 0; hour < 24; hour += 1) {
        const slot = day * 24 + hour;
        const count = counts[slot];
        parts.push(svg("rect", {
          class: count === 0 ? "cell zero" : "cell",
          x: left + hour * wide + 1, y: top + day * tall + 1, width: wide - 2, height: tall - 2, rx: 2.5,
          "fill-opacity": HeatMap.opacity(count / most), "data-slot": slot,
        }));
      }
    }
    this.ring = svg("rect", { class: "cursor", width: wide, height: tall, rx: 3, visibility: "hidden" });
    parts.push(this.ring);
    const height = top + 7 * tall + 2;
    this.plot.replaceChildren(svg("svg", { viewBox: `0 0 ${width} ${height}`, height, "aria-hidden": "true" }, parts));
    this.mark();
    const scale = [0, 0.25, 0.5, 0.75, 1].map((share, at) =>
      svg("rect", { class: share === 0 ? "cell zero" : "cell", x: at * 22, width: 20, height: 10, rx: 2, "fill-opacity": HeatMap.opacity(share) }));
    this.legend.replaceChildren(el("span", {}, "0"), svg("svg", { viewBox: "0 0 110 10", "aria-hidden": "true" }, scale),
      el("span", {}, plural(most, "save")), el("span", {}, `\u00b7 times in ${clock.zone}`));
    this.placeCursor();
  }

  // Shows which hour the filters have chosen.
  mark() {
    for (const cell of this.plot.querySelectorAll(".cell")) {
      const isPicked = Number(cell.dataset.slot) === this.filters.slot;
      cell.classList.toggle("picked", isPicked);
      cell.classList.toggle("dim", this.filters.slot !== null && !isPicked);
    }
  }

  title(slot) { return `${WEEKDAYS[Math.floor(slot / 24)]} ${two(slot % 24)}:00\u2013${two(((slot % 24) + 1) % 24)}:00`; }

  slotAt(event) {
    const box = this.plot.getBoundingClientRect();
    const [hour, day] = [Math.floor((event.clientX - box.left - this.left) / this.wide), Math.floor((event.clientY - box.top - this.top) / this.tall)];
    return hour < 0 || hour > 23 || day < 0 || day > 6 ? -1 : day * 24 + hour;
  }

  listen() {
    const { plot } = this;
    plot.addEventListener("pointermove", (event) => {
      const slot = this.slotAt(event);
      if (slot < 0) tip.hide();
      else tip.show(event, this.title(slot), [], plural(this.cells[slot], "save"));
    });
    plot.addEventListener("click", (event) => {
      const slot = this.slotAt(event);
      if (slot >= 0 && (this.cells[slot] > 0 || this.filters.slot === slot)) this.filters.toggleSlot(slot);
    });
    plot.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 24, ArrowUp: -24 }[event.key];
      if (step) {
        this.cursor = this.cursor < 0 ? 0 : Math.max(0, Math.min(167, this.cursor + step));
        this.placeCursor();
        const note = plural(this.cells[this.cursor], "save");
        tip.show(this.ring, this.title(this.cursor), [], note);
        say(`${this.title(this.cursor)}: ${note}`);
      } else if ((event.key === "Enter" || event.key === " ") && this.cursor >= 0) this.filters.toggleSlot(this.cursor);
      else return;
      event.preventDefault();
    });
    plot.addEventListener("focus", () => this.placeCursor());
    plot.addEventListener("blur", () => this.ring?.setAttribute("visibility", "hidden"));
  }

  placeCursor() {
    const shown = this.cursor >= 0 && document.activeElement === this.plot;
    this.ring.setAttribute("visibility", shown ? "visible" : "hidden");
    this.ring.setAttribute("x", this.left + (Math.max(0, this.cursor) % 24) * this.wide);
    this.ring.setAttribute("y", this.top + Math.floor(Math.max(0, this.cursor) / 24) * this.tall);
  }

  table() {
    const counts = this.counts;
    return {
      headings: ["Hour", ...WEEKDAYS],
      rows: Array.from({ length: 24 }, (_, hour) => [`${two(hour)}:00`, ...WEEKDAYS.map((_, day) => number(counts[day * 24 + hour]))]),
    };
  }
}
