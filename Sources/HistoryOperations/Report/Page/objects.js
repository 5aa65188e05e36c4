// The life of one object: its changes as a line in time, its values, and related objects.

const MOST_RELATED = 12;

// Objects that were changed in the same transactions, the most frequent first.
function relatedObjects(history, life) {
  const counts = new Map();
  for (const index of new Set(life.changes.map(([index]) => index))) {
    const seen = new Set();
    for (const change of history.transactions[index][TX.changes].slice(0, 500)) {
      const name = history.objectName(change);
      if (name === life.name || seen.has(name)) continue;
      seen.add(name);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return [...counts].sort((a, b) => b[1] - a[1]);
}

// What is known of the values after the newest change, by attribute: the value, the one before, and the transaction that
// set it. Those of a deleted object are the last ones that it had.
function knownValues(history, life) {
  const known = new Map();
  for (const [index, change] of life.changes) {
    const isDeletion = change[CHANGE.kind] === 2;
    for (const attribute of history.attributes(change)) known.set(attribute, { index });
    const values = change[CHANGE.values] ?? [];
    // A deletion sets nothing: what set the value before stays.
    const keep = (attribute, value, before) => {
      const set = known.get(attribute);
      if (!isDeletion) known.set(attribute, { index, value, before });
      else known.set(attribute, set && set.value === undefined ? { ...set, value } : set ?? { index, value });
    };
    for (let at = 0; at < values.length; at += 2) {
      const { old, new: set } = values[at + 1];
      keep(history.text(values[at]), isDeletion ? old : set, isDeletion ? undefined : old);
    }
    const tombstone = change[CHANGE.tombstone] ?? [];
    for (let at = 0; at < tombstone.length; at += 2) keep(history.text(tombstone[at]), tombstone[at + 1]);
  }
  return [...known];
}

// A dot for each change, at its time.
function lifeLine(view, life) {
  const { history } = view;
  const width = 600;
  const times = life.changes.map(([index]) => milliseconds(history.transactions[index][TX.time]));
  const usable = times.filter((time) => time !== null);
  if (usable.length === 0) return null;
  const [first, last] = [usable.reduce((a, b) => Math.min(a, b)), usable.reduce((a, b) => Math.max(a, b))];
  const x = (time) => (last === first ? width / 2 : 10 + ((time - first) / (last - first)) * (width - 20));
  // Dots that would cover each other stand in a pile, of at most four.
  const piles = [];
  const dots = life.changes.slice(-400).map(([index, change], at, all) => {
    const time = times[life.changes.length - all.length + at];
    if (time === null) return null;
    const tx = history.transactions[index];
    const pile = piles.find(([place, count]) => Math.abs(place - x(time)) < 11 && count < 4) ?? piles[piles.push([x(time), 0]) - 1];
    const kind = KINDS[change[CHANGE.kind]] ?? "other";
    const dot = svg("circle", { class: `life-dot f${kind}`, cx: pile[0].toFixed(1), cy: 50 - 12 * pile[1]++, r: 6 },
      svg("title", {}, `${kind}, ${moment(tx[TX.time])}, transaction ${tx[TX.number]}`));
    dot.addEventListener("click", () => view.open({ tx: tx[TX.number] }));
    return dot;
  });
  const top = 42 - 12 * Math.max(1, ...piles.map(([, count]) => count));
  const days = new Set(usable.map((time) => clock.date(time)));
  const label = `${plural(life.changes.length, "change")} between ${clock.shortDate(first)} and ${clock.shortDate(last)}`;
  const isMoment = last === first;
  const [from, to] = days.size === 1 ? [moment(first * 1000), clock.second(last)] : [clock.shortDate(first), clock.shortDate(last)];
  return el("div", { class: "plot life" }, svg("svg", { viewBox: `0 ${top} ${width} ${78 - top}`, role: "img", "aria-label": label },
    isMoment ? null : svg("line", { class: "life-line", x1: 10, x2: width - 10, y1: 50, y2: 50 }), dots,
    svg("text", { x: isMoment ? width / 2 : 4, y: 74, "text-anchor": isMoment ? "middle" : "start" }, from),
    isMoment ? null : svg("text", { x: width - 4, y: 74, "text-anchor": "end" }, to)));
}

function objectView(view, name) {
  const { history } = view;
  const life = history.objects.get(name);
  const title = (text) => el("div", { class: "title" }, el("h2", { tabindex: -1 }, own(text)), closeButton(view));
  const missing = history.leftOut("transactions") ? "this report lists the newest transactions only"
    : history.leftOut("changes") ? "this report does not list all changes of large transactions" : null;
  const cut = missing ? el("p", { class: "cut" }, `Changes of this object may be missing: ${missing}.`) : null;
  if (!life) return [title(name), el("p", { class: "soft section" }, "This report has no change of this object."), cut];
  const last = life.changes[life.changes.length - 1];
  const first = life.changes[0];
  const state = last[1][CHANGE.kind] === 2 ? "deleted" : first[1][CHANGE.kind] === 0 ? "exists" : "exists, inserted earlier";
  const values = knownValues(history, life);
  const related = relatedObjects(history, life);
  const kinds = KINDS.map((kind, at) => [kind, life.changes.filter(([, change]) => change[CHANGE.kind] === at).length])
    .filter(([, count]) => count > 0).map(([kind, count]) => plural(count, kind)).join(", ");
  const knownRow = ([attribute, { index, value, before }]) => {
    const tx = history.transactions[index];
    return [attribute,
      value === undefined ? el("span", { class: "type" }, "value not recorded, set") : valueOf(view, value),
      el("span", { class: "quiet" }, " in "), transactionLink(view, tx[TX.number]),
      el("span", { class: "quiet" }, " by ", el("bdi", {}, named(history.text(tx[TX.author]))), `, ${moment(tx[TX.time])}`),
      before === undefined ? null : [el("span", { class: "quiet" }, "; before: "), valueOf(view, before)]];
  };
  return [
    title(name),
    el("dl", { class: "pairs" },
      el("dt", {}, "state"), el("dd", {}, state),
      el("dt", {}, "changes"), el("dd", {}, number(life.changes.length), el("span", { class: "quiet" }, ` (${kinds})`)),
      history.raw.store && life.key != null
        ? [el("dt", {}, "identifier"), el("dd", { class: "mono" }, own(`x-coredata://${history.raw.store}/${name}`))] : null),
    lifeLine(view, life),
    values.length ? el("div", { class: "section" }, el("h3", {}, last[1][CHANGE.kind] === 2 ? "Attributes, as last known" : "Attributes, as last recorded"), valuesTable("attributes", values.map(knownRow))) : null,
    related.length ? el("div", { class: "section" }, el("h3", {}, "Changed together with"), el("div", { class: "cards" },
      related.slice(0, MOST_RELATED).map(([other, times]) => objectCard(view, other, `${number(times)}\u00d7`)),
      related.length > MOST_RELATED ? el("span", { class: "quiet" }, `and ${number(related.length - MOST_RELATED)} more`) : null)) : null,
    el("div", { class: "section" }, el("h3", {}, "Changes, newest first"),
      some([...life.changes].reverse(), FIRST_CHANGES, ([index, change]) => {
        const tx = history.transactions[index];
        return el("div", { class: "change" },
          el("div", { class: "top" }, mark(change[CHANGE.kind]), transactionLink(view, tx[TX.number]),
            el("span", { class: "kind" }, KINDS[change[CHANGE.kind]] ?? "other", " by ", el("bdi", {}, named(history.text(tx[TX.author])))),
            el("span", { class: "when" }, moment(tx[TX.time]))),
          changeParts(view, change));
      })),
    cut,
  ];
}

// What the panel shows while nothing is open: a way to find an object.
function objectPicker(view) {
  const { history } = view;
  history.objects;
  const list = el("div", {});
  const results = () => {
    const query = input.value.trim().toLowerCase();
    const found = query === "" ? history.objectsByActivity : history.objectsByActivity.filter((life) => life.name.toLowerCase().includes(query));
    list.replaceChildren(el("h3", {}, found.length === 0 ? "No objects" : query === "" ? "Most changed objects" : plural(found.length, "object")),
      el("div", { class: "cards objects" }, found.slice(0, 40).map((life) => objectCard(view, life.name, number(life.changes.length)))),
      found.length > 40 ? el("p", { class: "cut" }, `and ${number(found.length - 40)} more`) : "");
  };
  const input = el("input", {
    type: "search", placeholder: `Find an object, such as ${exampleObject(history)}`, "aria-label": "Find an object",
    spellcheck: "false", autocomplete: "off", oninput: results,
    onkeydown: (event) => {
      if (event.key === "Enter") list.querySelector("[data-object]")?.click();
    },
  });
  results();
  return [
    el("div", { class: "title" }, el("h2", {}, "Objects")),
    el("p", { class: "soft section" }, "Choose a transaction to see its changes, or an object to see its life."),
    el("div", { class: "section search wide" }, searchIcon(), input),
    el("div", { class: "section" }, list),
  ];
}

function objectCard(view, name, count) {
  return el("button", { type: "button", "data-object": name, onclick: () => view.open({ object: name }) },
    own(name), el("span", { class: "count" }, count));
}

function exampleObject(history) {
  const busiest = history.objectsByActivity[0];
  return busiest ? oneLine(busiest.name) : "Trip/p7";
}

const searchIcon = () => svg("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" },
  svg("circle", { cx: 6, cy: 6, r: 4.5 }), svg("path", { d: "M9.5 9.5L13 13" }));
