// What a history is: its name, where it comes from, its counts, and what to know about it.

function figure(label, value, sub, isText) {
  return el("div", { class: "figure" }, el("dt", {}, label), el("dd", { class: isText && "text" }, value), sub ? el("dd", { class: "sub" }, sub) : null);
}

function head(view) {
  const { history } = view;
  const { raw, total } = history;
  const kinds = [["insert", ROW.inserts], ["update", ROW.updates], ["delete", ROW.deletes]];
  const sizes = raw.sizes ?? {};
  const others = [["store", "file"], ["log", "log"], ["free", "free"], ["archive", "archive"]]
    .filter(([name]) => typeof sizes[name] === "number" && (sizes[name] > 0 || name === "store"));
  const kindButton = ([kind, place]) => el("button", {
    type: "button", class: "kind-link", "aria-pressed": "false", "data-kind": kind, title: `Show the transactions with ${kind}s`,
    onclick: () => view.filters.toggle("kind", kind),
  }, el("b", { class: `t${kind}`, "aria-hidden": "true" }, MARKS[KINDS.indexOf(kind)]), number(total[place]), el("span", { class: "unseen" }, ` ${kind}s`));
  const fact = ([label, text]) =>
    el("div", {}, el("dt", { class: "inline quiet" }, own(label), " "), el("dd", { class: "inline" }, own(text)));
  const kept = total[ROW.bytes] ?? sizes.history;
  return el("div", { class: "head" },
    el("div", { class: "masthead" },
      histories.length > 1 ? el("p", { class: "crumb" }, el("a", { class: "link", href: "#" }, "\u2190 ", `${number(histories.length)} histories`)) : null,
      el("div", {},
        el("h1", {}, own(histories.length > 1 ? history.name : report.title)),
        el("p", { class: "where" }, el("span", { class: "mono" }, own(raw.path)), raw.store ? el("span", { class: "mono quiet" }, own(raw.store)) : null),
        el("dl", { class: "where" }, (raw.facts ?? []).filter(([, text]) => text !== "").map(fact))),
      madeBy()),
    el("dl", { class: "figures" },
      figure("Transactions", number(total[ROW.transactions]), numbersText(raw)),
      figure("Changes", number(total[ROW.changes]), total[ROW.changes] === 0 ? null : [
        kinds.map(kindButton),
        total[ROW.others] ? el("span", {}, `${number(total[ROW.others])} of other kinds`) : null]),
      raw.earliest != null ? figure("Span", spanText(raw), lengthText(raw), true) : null,
      typeof kept === "number" ? figure("History", bytes(kept), others.map(([name, label]) => el("span", {}, `${label} ${bytes(sizes[name])}`)))
        : others.length ? figure(others[0][0] === "archive" ? "Archive" : "File", bytes(sizes[others[0][0]])) : null,
      bookmarkFigure(raw.bookmarks)),
    notices(history));
}

function spanText(raw) {
  const [first, last] = [milliseconds(raw.earliest), milliseconds(raw.latest)];
  if (first === null || last === null) return `${moment(raw.earliest)} \u2013 ${moment(raw.latest)}`;
  const [from, to] = [clock.shortDate(first), clock.shortDate(last)];
  if (from === to) return from;
  const [a, b] = [from.split(" "), to.split(" ")];
  return `${a[2] === b[2] ? a.slice(0, 2).join(" ") : from} \u2013 ${to}`;
}

// How long a history is, and how busy where it is long enough for a rate.
function lengthText(raw) {
  const [first, last] = [milliseconds(raw.earliest), milliseconds(raw.latest)];
  if (first === null || last === null || last - first < 60e3) return null;
  const days = (last - first) / (24 * HOUR);
  const daily = raw.rates?.total && rate(raw.rates.total.transactionsPerDay);
  return `${duration(days)}${days >= 1 && daily ? `, ${daily} ${daily === "1" ? "save" : "saves"} a day` : ""}`;
}

function numbersText({ oldest, newest }) {
  if (!oldest || !newest) return null;
  return oldest.number === newest.number ? `number ${oldest.number}` : `${number(oldest.number)} to ${number(newest.number)}`;
}

function bookmarkFigure(bookmarks) {
  if (!bookmarks?.length) return null;
  const bad = bookmarks.filter((one) => !isGood(one)).length;
  return figure("Bookmarks", number(bookmarks.length), bad ? el("span", { class: "tdelete" }, `${number(bad)} not valid`) : "all valid");
}

function madeBy() {
  const { made } = report;
  return el("p", { class: "made" }, made.at != null ? [`Made ${moment(made.at)}`, el("br")] : null, "by ", own(made.by),
    report.filters?.length ? [el("br"), "Filters: ", el("span", { class: "mono" }, own(report.filters.join(" ")))] : null,
    zoneSwitch());
}

// The reader's time zone, where whole hours of UTC are whole hours there too.
function zoneSwitch() {
  if (!canBeLocal()) return [el("br"), "Times in UTC"];
  const local = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "Local";
  return [el("br"), choice("Time zone", [["local", local], ["utc", "UTC"]], clock.local ? "local" : "utc", (value) => {
    clock.local = value === "local";
    page.rebuild();
  })];
}

function canBeLocal() {
  if (histories.some((history) => history.binHours !== 1)) return false;
  const year = new Date().getFullYear();
  const offsets = [0, 6].map((month) => new Date(year, month, 1).getTimezoneOffset());
  return offsets.some((offset) => offset !== 0) && offsets.every((offset) => offset % 60 === 0);
}

const MOST_NOTICES = 6;

function notice(kind, title, text) {
  return el("li", { class: `notice ${kind}` }, title ? el("b", {}, title) : null, el("span", {}, text));
}

function notices(history) {
  const { raw } = history;
  const found = [];
  if (raw.problem) found.push(notice("bad", "Reading ended early.", own(raw.problem)));
  for (const one of raw.notices ?? []) found.push(notice(one.damage ? "bad" : "", one.damage ? "Damage:" : null, own(one.text)));
  for (const gap of raw.gaps ?? []) {
    found.push(notice("", "Gap:", `the transactions after ${number(gap.after)}${gap.oldest != null ? ` and before ${number(gap.oldest)}` : ""} are missing`));
  }
  const bookmarks = [...(raw.bookmarks ?? [])].sort((a, b) => isGood(a) - isGood(b));
  for (const one of bookmarks) {
    if (isGood(one) && !one.transactionsBehind) continue;
    found.push(notice(isGood(one) ? "note" : "bad", ["Bookmark ", own(one.name), ":"], isGood(one)
      ? `${plural(one.transactionsBehind, "transaction")} behind${one.unreadSince != null ? `, unread since ${moment(one.unreadSince)}` : ""}`
      : `${one.state}${one.transaction != null ? ` at ${number(one.transaction)}` : ""}`));
  }
  if (report.redacted) found.push(notice("note", "Redacted:", "values, tombstones and names of contexts were left out of this report"));
  for (const one of raw.leftOut ?? []) {
    // That of redaction is said once, above.
    if (one.kind === "redacted" && report.redacted) continue;
    found.push(notice("note", "Left out:", own(typeof one.count === "number" ? `${number(one.count)} ${one.text}` : one.text)));
  }
  if (found.length === 0) return null;
  const more = found.slice(MOST_NOTICES);
  const list = el("ul", { class: "notices", "aria-label": "Notices" }, found.slice(0, MOST_NOTICES));
  if (more.length) {
    list.append(el("li", {}, button(`Show ${number(more.length)} more`, (event) => event.target.parentElement.replaceWith(...more))));
  }
  return list;
}
