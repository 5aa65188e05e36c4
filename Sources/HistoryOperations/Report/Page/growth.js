// How many bytes the history takes, and what it will take at the present rate.

class Growth extends Chart {
  constructor(history) {
    super("growth", "Growth", "Left and right arrow keys move in time.");
    this.history = history;
    this.cursor = -1;
    this.legend.className = "facts";
    this.plot.addEventListener("pointermove", (event) => this.point(event));
    this.plot.addEventListener("pointerleave", () => this.place(-1));
    this.plot.addEventListener("blur", () => this.place(-1));
    this.plot.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step || !this.points?.length) return;
      event.preventDefault();
      const far = Math.max(1, Math.round(this.points.length / 60));
      this.place(Math.max(0, Math.min(this.points.length - 1, this.cursor < 0 ? this.points.length - 1 : this.cursor + step * far)));
      const [time, sum] = this.points[this.cursor];
      tip.show(this.dot, clock.shortDate(time), [], this.amount(sum));
      say(`${clock.shortDate(time)}: ${this.amount(sum)}`);
    });
  }

  // Archives and exported lines have no size of their own: their growth is that of their changes.
  get hasBytes() { return this.history.bins.bytes !== null; }
  get daily() { return (this.hasBytes ? this.history.raw.bytesPerDay : this.history.raw.rates?.total?.changesPerDay) ?? 0; }
  amount(sum) { return this.hasBytes ? bytes(sum) : plural(Math.round(sum), "change"); }

  // The sum after every bin.
  get sums() {
    const { bins } = this.history;
    const counts = bins.bytes ?? bins.changes;
    let sum = 0;
    return bins.start.map((start, bin) => [start, (sum += counts[bin])]);
  }

  draw() {
    const { history, width } = this;
    const span = history.span;
    this.heading.textContent = this.hasBytes ? "Growth" : "Growth in changes";
    if (!span) {
      this.points = null;
      this.plot.replaceChildren(el("p", { class: "empty" }, history.isEmpty ? "This history has no transactions." : "No transaction has a usable time."));
      this.showFacts();
      return;
    }
    const all = this.sums;
    // One point for each pixel is enough.
    const points = [[span[0], 0]];
    let column = -1;
    for (const point of all) {
      const place = Math.floor(((point[0] - span[0]) / (span[1] - span[0])) * width);
      if (place === column && points.length > 1) points[points.length - 1] = point;
      else points.push(point);
      column = place;
    }
    points.push([span[1], all[all.length - 1][1]]);
    this.points = points;
    const total = all[all.length - 1][1];
    const { daily } = this;
    const grows = daily > 0;
    const ahead = grows ? (span[1] - span[0]) * 0.25 : 0;
    const later = total + (daily * ahead) / (24 * HOUR);
    const end = span[1] + ahead;
    const [left, right, top, bottom, height] = [58, 10, 8, 22, 186];
    const most = Math.max(total, Math.min(later, total * 3), 1);
    const marks = ticks(most, 4, this.hasBytes ? 2 : 10);
    const x = (time) => left + ((time - span[0]) / (end - span[0])) * (width - left - right);
    const y = (sum) => height - bottom - (sum / most) * (height - top - bottom);
    Object.assign(this, { x, y });
    const parts = marks.map((value) => svg("g", {},
      svg("line", { class: value === 0 ? "axis" : "grid", x1: left, x2: width - right, y1: y(value), y2: y(value) }),
      svg("text", { x: left - 8, y: y(value) + 4, "text-anchor": "end" }, this.hasBytes ? bytes(value).replace(".0 ", " ") : compact(value))));
    const at = ([time, sum]) => `${x(time).toFixed(1)} ${y(sum).toFixed(1)}`;
    // What is written stays until the next save: a line of steps.
    let line = `M${at(points[0])}`;
    for (let index = 1; index < points.length; index += 1) line += `H${x(points[index][0]).toFixed(1)}V${y(points[index][1]).toFixed(1)}`;
    parts.push(svg("path", { class: "grow-area", d: `${line}V${y(0)}H${x(span[0]).toFixed(1)}z` }), svg("path", { class: "grow-line", d: line }));
    if (grows) {
      const shown = Math.min(later, total * 3);
      const until = span[1] + ahead * ((shown - total) / (later - total || 1));
      parts.push(svg("path", { class: "grow-next", d: `M${at([span[1], total])}L${at([until, shown])}` }));
      parts.push(svg("line", { class: "grid", x1: x(span[1]), x2: x(span[1]), y1: top, y2: height - bottom }));
    }
    const dates = [[span[0], "start"], ...(grows && x(end) - x(span[1]) > 84 && x(span[1]) - left > 170 ? [[span[1], "end"]] : []), [end, "end"]];
    if (clock.shortDate(dates[dates.length - 1][0]) === clock.shortDate(dates[dates.length - 2][0])) dates.pop();
    for (const [time, anchor] of dates) {
      parts.push(svg("text", { x: x(time), y: height - 5, "text-anchor": anchor }, clock.shortDate(time)));
    }
    this.dot = svg("circle", { class: "grow-dot", r: 4.5, cx: x(span[1]), cy: y(total) });
    parts.push(this.dot);
    this.plot.replaceChildren(svg("svg", { viewBox: `0 0 ${width} ${height}`, height, "aria-hidden": "true" }, parts));
    this.showFacts();
  }

  place(index) {
    this.cursor = index;
    if (!this.points || !this.dot) return;
    const [time, sum] = this.points[index < 0 ? this.points.length - 1 : index];
    this.dot.setAttribute("cx", this.x(time));
    this.dot.setAttribute("cy", this.y(sum));
  }

  point(event) {
    if (!this.points) return;
    const place = event.clientX - this.plot.getBoundingClientRect().left;
    let index = this.points.findIndex(([time]) => this.x(time) > place) - 1;
    if (index === -2) {
      const [end, daily] = [this.history.span[1], this.daily];
      if (daily > 0 && place > this.x(end) + 4) {
        const span = this.history.span;
        const time = span[0] + ((place - this.x(span[0])) / (this.x(end) - this.x(span[0]))) * (end - span[0]);
        this.place(-1);
        const sum = this.points[this.points.length - 1][1] + (daily * (time - end)) / (24 * HOUR);
        tip.show(event, clock.shortDate(time), [], `about ${this.amount(sum)} at the present rate`);
        return;
      }
      index = this.points.length - 1;
    }
    this.place(Math.max(0, index));
    tip.show(event, clock.shortDate(this.points[this.cursor][0]), [], this.amount(this.points[this.cursor][1]));
  }

  showFacts() {
    const { raw, isEmpty } = this.history;
    if (isEmpty) return;
    const facts = [];
    const daily = (label, one) => one && facts.push(el("span", {}, label, " ",
      el("b", {}, this.hasBytes && typeof one.bytesPerDay === "number" ? bytes(one.bytesPerDay) : `${rate(one.changesPerDay)} changes`), " a day"));
    daily("All time", raw.rates?.total);
    daily("Last 30 days", raw.rates?.last30Days);
    daily("Last 7 days", raw.rates?.last7Days);
    for (const { size, state, days } of raw.forecast ?? []) {
      if (state === "ahead") {
        const date = typeof report.made.at === "number" && days < 36525 ? ` (${clock.shortDate(report.made.at / 1000 + days * 24 * HOUR)})` : "";
        facts.push(el("span", {}, el("b", {}, bytes(size)), days > 36525 ? " in more than 100 years" : ` in ${duration(days)}${date}`));
      } else if (state === "never") facts.push(el("span", {}, el("b", {}, bytes(size)), " never, at this rate"));
    }
    this.legend.replaceChildren(...facts);
  }

  table() {
    const days = new Map();
    for (const [time, sum] of this.sums) days.set(clock.floor(time, "day"), sum);
    return { headings: ["Day", this.hasBytes ? "Size" : "Changes"], rows: [...days].map(([day, sum]) => [clock.shortDate(day), this.amount(sum)]) };
  }
}
