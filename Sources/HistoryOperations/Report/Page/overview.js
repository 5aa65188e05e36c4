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

function overview() {
  const spans = histories.map((history) => history.span).filter(Boolean);
  const all = spans.length ? [Math.min(...spans.map((span) => span[0])), Math.max(...spans.map((span) => span[1]))] : [0, 1];
  // On one axis only where no history would be a mere dot on it.
  const shared = spans.every((span) => span[1] - span[0] > (all[1] - all[0]) / 8);
  const sum = (place) => histories.reduce((total, history) => total + (history.total[place] ?? 0), 0);
  const state = ({ bookmarks }) => {
    if (!bookmarks) return "";
    if (!bookmarks.length) return el("span", { class: "quiet" }, "none");
    const bad = bookmarks.filter((one) => one.state !== "valid" && one.state !== "archived");
    return bad.length ? el("span", { class: "tdelete" }, `${number(bad.length)} of ${number(bookmarks.length)} not valid`) : `${number(bookmarks.length)} valid`;
  };
  return el("div", { class: "wrap" },
    el("div", { class: "masthead" }, el("div", {}, el("h1", {}, own(report.title)), el("p", { class: "where" }, plural(histories.length, "store or archive").replace("archives", "archives").replace("store or archives", "stores or archives"))), madeBy()),
    el("dl", { class: "figures" }, figure("Transactions", number(sum(ROW.transactions))), figure("Changes", number(sum(ROW.changes))), figure("History", bytes(sum(ROW.bytes)))),
    el("main", { id: "main", class: "board" }, el("section", { class: "panel" },
      el("table", { class: "stores" },
        el("thead", {}, el("tr", {}, [["Name"], ["Transactions", 1], ["Changes", 1], ["History", 1], ["Span", 0, "text"], [shared && spans.length ? `Activity, ${clock.range(clock.floor(all[0], "day"), clock.next(clock.floor(all[1] - 1, "day"), "day"))}` : "Activity, each over its own span"], ["Bookmarks"]]
          .map(([heading, right, className]) => el("th", { scope: "col", class: right ? "number" : className }, heading)))),
        el("tbody", {}, histories.map((history) => {
          const link = el("a", { class: "link name", href: address.write({ store: history.position }) }, own(history.name));
          const warnings = (history.raw.notices ?? []).length;
          const isRead = history.raw.total !== undefined;
          const count = (place) => (isRead ? number(history.total[place]) : "");
          const cell = (label, content, className) => el("td", { "data-label": label, class: className }, content);
          return el("tr", { onclick: (event) => event.target.closest("a") ?? link.click(), "data-store": history.position },
            el("td", {}, link, el("div", { class: "quiet small" }, history.raw.kind, warnings ? el("span", { class: "warn" }, ` \u00b7 ${plural(warnings, "warning")}`) : null),
              history.raw.problem ? el("div", { class: "warn" }, own(history.raw.problem)) : null),
            cell("Transactions", count(ROW.transactions), "number"), cell("Changes", count(ROW.changes), "number"),
            cell("History", typeof history.total[ROW.bytes] === "number" ? bytes(history.total[ROW.bytes]) : isRead ? "unknown" : "", "number"),
            cell("Span", history.raw.earliest != null ? spanText(history.raw) : el("span", { class: "quiet" }, history.raw.problem ? "" : "empty"), "text"),
            cell("Activity", history.span ? sparkLine(history, ...(shared ? all : history.span)) : "", "wide"), cell("Bookmarks", state(history.raw)));
        }))))),
    ending());
}

const ending = () => el("footer", { class: "end" }, el("span", {}, "Made by ", own(report.made.by), ". This page loads nothing and sends nothing."),
  report.made.command ? el("span", { class: "mono" }, own(report.made.command)) : null);
