// What the reader has chosen to see of a history, and which transactions match.

class Filters {
  constructor(history) {
    this.history = history;
    this.chosen = {};
    this.range = null;
    this.slot = null;
    this.query = "";
    this.listeners = [];
  }

  onChange(listener) { this.listeners.push(listener); }

  changed() {
    this.matches = null;
    for (const listener of this.listeners) listener();
    say(`${plural(this.indexes().length, "transaction")} shown`);
  }

  get isOn() { return Object.keys(this.chosen).length > 0 || this.range !== null || this.slot !== null || this.query !== ""; }

  has(dimension, name) { return dimension in this.chosen && this.chosen[dimension] === name; }

  // Chooses a name, or all again where it was chosen.
  toggle(dimension, name) {
    if (this.has(dimension, name)) delete this.chosen[dimension];
    else this.chosen[dimension] = name;
    this.changed();
  }

  setRange(range) {
    this.range = range;
    this.changed();
  }

  // One hour of one weekday.
  toggleSlot(slot) {
    this.slot = this.slot === slot ? null : slot;
    this.changed();
  }

  setQuery(query) {
    this.query = query.trim();
    this.changed();
  }

  clear() {
    this.chosen = {};
    this.range = this.slot = null;
    this.query = "";
    this.changed();
  }

  // Every filter as its label, its text and what removes it.
  get chips() {
    const chips = [];
    for (const [dimension, name] of Object.entries(this.chosen)) {
      chips.push([dimension, dimension === "attribute" ? name : named(name), () => this.toggle(dimension, name)]);
    }
    if (this.range) chips.push(["time", clock.range(...this.range), () => this.setRange(null)]);
    if (this.slot !== null) {
      const [day, hour] = [Math.floor(this.slot / 24), this.slot % 24];
      chips.push(["hour", `${WEEKDAYS[day]} ${two(hour)}:00\u2013${two((hour + 1) % 24)}:00`, () => this.toggleSlot(this.slot)]);
    }
    if (this.query) chips.push(["search", this.query, () => this.setQuery("")]);
    return chips;
  }

  // The indexes of the transactions that match all filters, newest first.
  indexes() {
    if (this.matches) return this.matches;
    const tests = this.tests();
    const found = [];
    const { transactions } = this.history;
    next: for (let index = 0; index < transactions.length; index += 1) {
      for (const test of tests) if (!test(transactions[index], index)) continue next;
      found.push(index);
    }
    return (this.matches = found);
  }

  tests() {
    const { history } = this;
    const tests = [];
    const any = (test) => (tx) => tx[TX.changes].some(test);
    for (const [dimension, name] of Object.entries(this.chosen)) {
      if (dimension === "entity") {
        const index = name === null ? -1 : place(history.entities, name);
        tests.push(any((change) => change[CHANGE.entity] === index));
      } else if (dimension === "kind") {
        const kind = KINDS.indexOf(name ?? "other");
        tests.push(any((change) => change[CHANGE.kind] === kind));
      } else if (dimension === "attribute") {
        const [entity, attribute] = splitAttribute(name);
        const [entityIndex, text] = [place(history.entities, entity), place(history.texts, attribute)];
        const sets = new Set(history.sets.flatMap((set, index) => (set.includes(text) ? [index] : [])));
        tests.push(any((change) => change[CHANGE.entity] === entityIndex && sets.has(change[CHANGE.set])));
      } else {
        const index = name === null ? -1 : place(history.texts, name);
        tests.push((tx) => tx[TX[dimension]] === index);
      }
    }
    if (this.range) {
      const [from, to] = this.range.map((time) => time * 1000);
      tests.push((tx) => typeof tx[TX.time] === "number" && tx[TX.time] >= from && tx[TX.time] < to);
    }
    if (this.slot !== null) {
      tests.push((tx) => {
        const time = milliseconds(tx[TX.time]);
        if (time === null) return false;
        const parts = clock.parts(time);
        return ((parts[6] + 6) % 7) * 24 + parts[3] === this.slot;
      });
    }
    const words = this.query.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length) tests.push((_, index) => words.every((word) => history.haystack(index).includes(word)));
    return tests;
  }
}

// The index of a name, or one that nothing has: -1 stands for no name at all.
function place(names, name) {
  const index = names.indexOf(name);
  return index < 0 ? NaN : index;
}

// An attribute is named with its entity; neither has a dot.
const joinAttribute = (entity, attribute) => `${entity}.${attribute}`;
const splitAttribute = (name) => [name.slice(0, name.indexOf(".")), name.slice(name.indexOf(".") + 1)];
