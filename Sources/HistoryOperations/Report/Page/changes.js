// One transaction with its changes, and the values of a change.

const FIRST_CHANGES = 100;

function valueOf(view, value) {
  if (value !== null && typeof value === "object" && "$object" in value) return objectLink(view, value.$object);
  const { text, type, note } = valueText(value);
  const className = { data: "v mono", none: "type" }[type] ?? "v";
  return el("span", {}, el("bdi", { class: className }, text), note ? el("span", { class: "type" }, ` (${note})`) : null);
}

// Rows of attribute and value, of a tombstone or of what an update set.
function valuesTable(label, rows) {
  return el("table", { class: "values", "aria-label": label }, el("tbody", {}, rows.map(([attribute, ...cells]) =>
    el("tr", {}, el("th", { scope: "row" }, own(attribute)), el("td", {}, cells)))));
}

const arrow = () => el("span", { class: "to", "aria-label": "to" }, "\u2192");

// What a change did: its kind, its object, its attributes and values.
function changeParts(view, change) {
  const { history } = view;
  const tombstone = change[CHANGE.tombstone] ?? [];
  const values = change[CHANGE.values] ?? [];
  const known = new Set();
  const rows = [];
  for (let at = 0; at < values.length; at += 2) {
    const attribute = history.text(values[at]);
    const pair = values[at + 1];
    known.add(attribute);
    if ("old" in pair && "new" in pair && JSON.stringify(pair.old) === JSON.stringify(pair.new)) {
      rows.push([attribute, valueOf(view, pair.new), el("span", { class: "type" }, " (set, unchanged)")]);
      continue;
    }
    const old = "old" in pair ? el("span", { class: "old" }, valueOf(view, pair.old)) : null;
    const now = "new" in pair ? valueOf(view, pair.new) : el("span", { class: "type" }, "not known");
    rows.push([attribute, old, old ? arrow() : null, now]);
  }
  const attributes = history.attributes(change).filter((attribute) => !known.has(attribute));
  const entity = history.entity(change[CHANGE.entity]);
  const gone = [];
  for (let at = 0; at < tombstone.length; at += 2) gone.push([history.text(tombstone[at]), valueOf(view, tombstone[at + 1])]);
  return [
    rows.length ? valuesTable("values", rows) : null,
    attributes.length ? el("div", { class: "names" }, attributes.map((attribute) => attributeName(view, entity, attribute))) : null,
    gone.length ? valuesTable("tombstone", gone) : null,
    change[CHANGE.tombstone] && gone.length === 0 ? el("p", { class: "aside" }, "The tombstone preserved no values.") : null,
    change[CHANGE.source] === "log" ? el("p", { class: "aside" }, "Values read from the store\u2019s log.") : null,
  ];
}

function attributeName(view, entity, attribute) {
  if (entity === null) return el("span", {}, own(attribute));
  const choose = () => view.filters.toggle("attribute", joinAttribute(entity, attribute));
  return el("button", { type: "button", title: "Show the updates of this attribute", onclick: choose }, own(attribute));
}

const mark = (kind) => el("span", { class: `mark t${KINDS[kind] ?? "other"}`, "aria-hidden": "true" }, MARKS[kind] ?? "?");

// Part of a long list, and a button that shows more of it.
function some(items, first, make) {
  const box = el("div", {});
  let shown = 0;
  const show = (count) => {
    box.append(...items.slice(shown, shown + count).map(make));
    shown = Math.min(items.length, shown + count);
    more.hidden = shown === items.length;
    more.textContent = `Show ${number(Math.min(500, items.length - shown))} more of ${number(items.length)}`;
  };
  const more = button("", () => show(500), { class: "button more" });
  show(first);
  return [box, more];
}

function transactionView(view, index) {
  const { history } = view;
  const tx = history.transactions[index];
  const changes = tx[TX.changes];
  const who = (dimension) => {
    const name = history.text(tx[TX[dimension]]);
    const title = `Show the transactions of this ${dimension}`;
    const choose = () => view.filters.toggle(dimension, name);
    return el("dd", {}, el("button", { type: "button", class: "link", title, onclick: choose }, el("bdi", {}, named(name))));
  };
  const step = (label, text, to) => button(text, () => view.open({ tx: history.transactions[to][TX.number] }), {
    class: "button square", "aria-label": label, title: label, disabled: to < 0 || to >= history.transactions.length, "data-focus": label,
  });
  const left = tx[TX.total] - changes.length;
  const context = history.text(tx[TX.context]);
  return [
    el("div", { class: "title" }, el("h2", { tabindex: -1 }, `Transaction ${tx[TX.number]}`),
      step("Older transaction", "\u2193", view.list.beside(index, 1)), step("Newer transaction", "\u2191", view.list.beside(index, -1)), closeButton(view)),
    el("dl", { class: "pairs" },
      el("dt", {}, "time"), el("dd", {}, moment(tx[TX.time]), el("span", { class: "quiet" }, typeof tx[TX.time] === "number" ? ` ${clock.zone}` : "")),
      el("dt", {}, "author"), who("author"), el("dt", {}, "process"), who("process"), el("dt", {}, "bundle"), who("bundle"),
      context === null ? null : [el("dt", {}, "context"), el("dd", {}, own(context))],
      history.raw.store ? [el("dt", {}, "token"), el("dd", { class: "mono" }, own(`${history.raw.store}:${tx[TX.number]}`))] : null),
    el("h3", {}, plural(tx[TX.total], "change")),
    some(changes, FIRST_CHANGES, (change) => el("div", { class: "change" },
      el("div", { class: "top" }, mark(change[CHANGE.kind]), objectLink(view, history.objectName(change)),
        el("span", { class: "kind" }, KINDS[change[CHANGE.kind]] ?? "other")),
      changeParts(view, change))),
    left > 0 ? el("p", { class: "cut" },
      `This report leaves out ${plural(left, "change")} of this transaction. histctl show ${tx[TX.number]} lists all.`) : null,
  ];
}

const objectLink = (view, name) => el("button", { type: "button", class: "link", "data-object": name, onclick: () => view.open({ object: name }) }, own(name));
const transactionLink = (view, number) => el("button", { type: "button", class: "link mono", onclick: () => view.open({ tx: number }) }, `#${number}`);
const closeButton = (view) => button("\u00d7", () => view.open({}), { class: "button square", "aria-label": "Close", title: "Close", "data-focus": "close" });
