// Several histories, one row each.

function sparkLine(history, from, to) {
  const [width, height] = [180, 28];
  const columns = 60;
  const counts = new Float64Array(columns);
  history.bins.start.forEach((start, bin) => {
    counts[Math.max(0, Math.min(columns - 1, Math.floor(((start - from) / (to - from)) * columns)))] += history.bins.transactions[bin];
  });
  const most = Math.max(1, ...counts);
  let path = "";
  counts.forEach((count, column) => {
    if (count === 0) return;
    const tall = Math.max(1.5, (count / most) * (height - 2));
    path += `M${column * 3} ${height - 1}v${(-tall).toFixed(1)}h2.2v${tall.toFixed(1)}z`;
  });
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "activity over time" },
    svg("line", { class: "axis", x1: 0, x2: width, y1: height - 0.5, y2: height - 0.5 }), svg("path", { class: "spark", d: path }));
}

// The hours from 1970 to the first Monday, from which bins are counted.
const FIRST_MONDAY = 96;
const MOST_STORES = 8;

// The bins of all histories, stacked by store: what a timeline shows of a history.
function jointHistory() {
  const hours = Math.max(...histories.map((history) => history.binHours));
  const busiest = [...histories].sort((a, b) => b.total[ROW.transactions] - a.total[ROW.transactions] || a.position - b.position)
    .filter((history) => history.total[ROW.transactions] > 0);
  const shown = busiest.slice(0, MOST_STORES).sort((a, b) => a.position - b.position);
  const start = (time) => {
    const hour = time / HOUR - FIRST_MONDAY;
    return (Math.floor(hour / hours) * hours + FIRST_MONDAY) * HOUR;
  };
  const starts = [...new Set(histories.flatMap((history) => history.bins.start.map(start)))].sort((a, b) => a - b);
  const places = new Map(starts.map((time, bin) => [time, bin]));
  const bins = { start: starts, transactions: starts.map(() => 0), changes: starts.map(() => 0) };
  const entries = starts.map(() => new Map());
  for (const history of busiest) {
    const name = shown.includes(history) ? shown.indexOf(history) : shown.length;
    history.bins.start.forEach((time, at) => {
      const bin = places.get(start(time));
      const entry = entries[bin].get(name) ?? { transactions: 0, changes: 0 };
      for (const measure of ["transactions", "changes"]) {
        bins[measure][bin] += history.bins[measure][at];
        entry[measure] += history.bins[measure][at];
      }
      entries[bin].set(name, entry);
    });
  }
  const stack = { names: shown.map((history) => history.position), bin: [], name: [], transactions: [], changes: [] };
  let last = 0;
  entries.forEach((names, bin) => {
    for (const [name, entry] of [...names].sort((a, b) => a[0] - b[0])) {
      stack.bin.push(bin - last);
      last = bin;
      stack.name.push(name);
      stack.transactions.push(entry.transactions);
      stack.changes.push(entry.changes);
    }
  });
  if (busiest.length > shown.length) stack.others = busiest.length - shown.length;
  const total = [histories.reduce((sum, history) => sum + history.total[ROW.transactions], 0)];
  const joint = new History({ name: report.title, total, stacks: { store: stack } }, 0);
  Object.assign(joint, { bins, binHours: hours });
  return joint;
}

// Saves to all stores over time. A store of the legend is opened.
class JointTimeline extends Timeline {
  constructor() {
    super(jointHistory(), {
      chosen: {}, range: null, has: () => false, setRange: () => {},
      toggle: (_, position) => address.go({ store: position }),
    }, ["store"]);
  }

  nameOf(position) { return position === undefined ? "others" : oneLine(histories[position - 1].name); }
}

const isGood = (bookmark) => bookmark.state === "valid" || bookmark.state === "archived";

function bookmarkState({ bookmarks }) {
  if (!bookmarks?.length) return el("span", { class: "quiet" }, "none");
  const bad = bookmarks.filter((one) => !isGood(one)).length;
  return bad ? el("span", { class: "tdelete" }, `${number(bad)} of ${number(bookmarks.length)} not valid`) : `${number(bookmarks.length)} valid`;
}

// What a row is sorted by: the name, a count, or the time of the newest save.
const SORTS = {
  Name: (history) => history.name.toLowerCase(),
  Transactions: (history) => -history.total[ROW.transactions],
  Changes: (history) => -history.total[ROW.changes],
  History: (history) => -(history.total[ROW.bytes] ?? -1),
  Span: (history) => -(milliseconds(history.raw.latest) ?? -Infinity),
  Bookmarks: (history) => -(history.raw.bookmarks ?? []).filter((one) => !isGood(one)).length,
};

class Overview {
  constructor() {
    const spans = histories.map((history) => history.span).filter(Boolean);
    this.span = spans.length ? [Math.min(...spans.map((span) => span[0])), Math.max(...spans.map((span) => span[1]))] : null;
    // On one axis only where no history would be a mere dot on it.
    this.isShared = spans.every((span) => span[1] - span[0] > (this.span[1] - this.span[0]) / 8);
    this.sortedBy = null;
    this.timeline = new JointTimeline();
    this.headings = el("tr", {});
    this.rows = el("tbody", {});
    const sum = (place) => histories.reduce((total, history) => total + (history.total[place] ?? 0), 0);
    this.element = el("div", { class: "wrap" },
      el("div", { class: "masthead" },
        el("div", {}, el("h1", {}, own(report.title)), el("p", { class: "where" }, `${number(histories.length)} histories`)), madeBy()),
      el("dl", { class: "figures" }, figure("Transactions", number(sum(ROW.transactions))),
        figure("Changes", number(sum(ROW.changes))), figure("History", bytes(sum(ROW.bytes)))),
      el("main", { id: "main", class: "board" }, el("div", { class: "charts" }, this.timeline.element), el("section", { class: "panel", "aria-label": "Histories" },
        el("table", { class: "stores" }, el("thead", {}, this.headings), this.rows))),
      ending());
    this.fill();
  }

  get activityHeading() {
    if (!this.isShared || !this.span) return "Activity, each over its own span";
    const [from, to] = this.span;
    return `Activity, ${clock.range(clock.floor(from, "day"), clock.next(clock.floor(to - 1, "day"), "day"))}`;
  }

  fill() {
    const key = SORTS[this.sortedBy];
    const listed = key ? [...histories].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a.position - b.position)) : histories;
    const heading = (name, className) => {
      const order = this.sortedBy === name ? (name === "Name" ? "ascending" : "descending") : null;
      const sort = () => {
        this.sortedBy = this.sortedBy === name ? null : name;
        this.fill();
      };
      return el("th", { scope: "col", class: className, "aria-sort": order },
        el("button", { type: "button", class: "sort", title: `Sort by ${name.toLowerCase()}`, "data-focus": `sort ${name}`, onclick: sort }, name));
    };
    replace(this.headings, heading("Name"), heading("Transactions", "number"), heading("Changes", "number"), heading("History", "number"),
      heading("Span", "text"), el("th", { scope: "col" }, this.activityHeading), heading("Bookmarks"));
    this.rows.replaceChildren(...listed.map((history) => this.row(history)));
  }

  row(history) {
    const { raw, total, span } = history;
    const link = el("a", { class: "link name", href: address.write({ store: history.position }) }, own(history.name));
    const warnings = (raw.notices ?? []).length;
    // One that could not be opened has a problem, and no counts.
    const isRead = raw.total !== undefined;
    const dash = el("span", { class: "quiet", "aria-label": "unknown" }, "\u2013");
    const cell = (label, content, className) => el("td", { "data-label": label, class: className }, content);
    return el("tr", { onclick: (event) => event.target.closest("a") ?? link.click(), "data-store": history.position },
      el("td", {}, link,
        el("div", { class: "quiet small" }, isRead ? raw.kind : "could not be read",
          warnings ? el("span", { class: "warn" }, ` \u00b7 ${plural(warnings, "warning")}`) : null),
        raw.problem ? el("div", { class: "warn" }, own(raw.problem)) : null),
      cell("Transactions", isRead ? number(total[ROW.transactions]) : dash.cloneNode(true), "number"),
      cell("Changes", isRead ? number(total[ROW.changes]) : dash.cloneNode(true), "number"),
      cell("History", typeof total[ROW.bytes] === "number" ? bytes(total[ROW.bytes]) : isRead ? "unknown" : dash.cloneNode(true), "number"),
      cell("Span", raw.earliest != null ? spanText(raw) : isRead ? el("span", { class: "quiet" }, "empty") : dash.cloneNode(true), "text"),
      cell("Activity", span ? sparkLine(history, ...(this.isShared ? this.span : span)) : "", "wide"),
      cell("Bookmarks", isRead ? bookmarkState(raw) : dash));
  }
}

const ending = () => el("footer", { class: "end" }, el("span", {}, "Made by ", own(report.made.by), ". This page loads nothing and sends nothing."));
