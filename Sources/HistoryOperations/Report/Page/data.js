// Reads the data of the page, and answers questions about one history.

const report = JSON.parse(document.getElementById("data").textContent);

const TX = { number: 0, time: 1, author: 2, bundle: 3, process: 4, context: 5, total: 6, changes: 7 };
const CHANGE = { kind: 0, entity: 1, key: 2, set: 3, tombstone: 4, values: 5, source: 6 };
const ROW = { transactions: 0, changes: 1, inserts: 2, updates: 3, deletes: 4, others: 5, bytes: 6 };
const DIMENSIONS = ["author", "bundle", "process", "entity", "kind"];

class History {
  constructor(raw, position) {
    this.raw = raw;
    this.position = position;
    this.name = raw.name;
    this.total = raw.total ?? [0, 0, 0, 0, 0, 0, null];
    this.texts = raw.texts ?? [];
    this.entities = raw.entities ?? [];
    this.sets = raw.sets ?? [];
    this.transactions = raw.transactions ?? [];
    this.binHours = raw.bins?.hours ?? 1;
    this.bins = History.unpack(raw.bins);
    this.byNumber = new Map(this.transactions.map((tx, index) => [String(tx[TX.number]), index]));
    this.colours = new Map();
  }

  // Differences become sums; hours become milliseconds.
  static unpack(bins) {
    const start = [];
    let hour = 0;
    for (const step of bins?.start ?? []) {
      hour += step;
      start.push(hour * HOUR);
    }
    const none = start.map(() => 0);
    const [inserts, updates, deletes] = [bins?.inserts ?? none, bins?.updates ?? none, bins?.deletes ?? none];
    const others = bins?.others ?? none;
    return {
      start, transactions: bins?.transactions ?? none, inserts, updates, deletes, others, bytes: bins?.bytes ?? null,
      changes: start.map((_, index) => inserts[index] + updates[index] + deletes[index] + others[index]),
    };
  }

  get isEmpty() { return this.total[ROW.transactions] === 0; }

  // The time from the first to the end of the last bin, or nothing.
  get span() {
    const { start } = this.bins;
    return start.length ? [start[0], start[start.length - 1] + this.binHours * HOUR] : null;
  }

  // Names and entries of a stack, each entry with its bin.
  stack(dimension) {
    const raw = this.raw.stacks?.[dimension];
    const names = raw ? [...raw.names] : [];
    const bin = [];
    let at = 0;
    for (const step of raw?.bin ?? []) {
      at += step;
      bin.push(at);
    }
    const name = raw?.name ?? [];
    return {
      names, bin, name, transactions: raw?.transactions ?? [], changes: raw?.changes ?? [],
      hasOthers: name.includes(names.length), others: raw?.others,
    };
  }

  // The class of a colour for a name, the same in every chart: "0" to "7", "none" or "other".
  colour(dimension, name) {
    if (dimension === "kind") return KINDS.includes(name) && name !== "other" ? name : "other";
    if (!this.colours.has(dimension)) {
      const found = new Map();
      let next = 0;
      for (const one of this.raw.stacks?.[dimension]?.names ?? []) found.set(one, one === null ? "none" : String(next++));
      this.colours.set(dimension, found);
    }
    return this.colours.get(dimension).get(name) ?? (name === null ? "none" : "other");
  }

  text(index) { return index === undefined || index === null || index < 0 ? null : this.texts[index] ?? null; }
  entity(index) { return index === null || index < 0 ? null : this.entities[index] ?? null; }
  objectName(change) {
    return `${this.entity(change[CHANGE.entity]) ?? "unknown"}/${change[CHANGE.key] == null ? "?" : `p${change[CHANGE.key]}`}`;
  }

  attributes(change) { return (this.sets[change[CHANGE.set]] ?? []).map((index) => this.texts[index]); }

  leftOut(kind) { return (this.raw.leftOut ?? []).find((one) => one.kind === kind); }

  // Every object of the carried transactions, with its changes, oldest first. Made when first asked for.
  get objects() {
    if (!this.objectMap) {
      this.objectMap = new Map();
      for (let index = this.transactions.length - 1; index >= 0; index -= 1) {
        for (const change of this.transactions[index][TX.changes]) {
          const name = this.objectName(change);
          const life = this.objectMap.get(name);
          if (life) life.changes.push([index, change]);
          else this.objectMap.set(name, { name, entity: change[CHANGE.entity], key: change[CHANGE.key], changes: [[index, change]] });
        }
      }
      this.objectsByActivity = [...this.objectMap.values()].sort((a, b) => b.changes.length - a.changes.length);
    }
    return this.objectMap;
  }

  // What search looks through: one lower-case text for each transaction.
  haystack(index) {
    this.haystacks ??= new Array(this.transactions.length);
    return (this.haystacks[index] ??= this.words(this.transactions[index]));
  }

  words(tx) {
    const words = [`#${tx[TX.number]}`];
    for (const place of [TX.author, TX.bundle, TX.process, TX.context]) if (tx[place] >= 0) words.push(this.texts[tx[place]]);
    const sets = new Set();
    for (const change of tx[TX.changes]) {
      words.push(this.objectName(change));
      if (change[CHANGE.set] != null) sets.add(change[CHANGE.set]);
      const tombstone = change[CHANGE.tombstone] ?? [];
      for (let at = 0; at < tombstone.length; at += 2) words.push(this.texts[tombstone[at]], History.plain(tombstone[at + 1]));
      const values = change[CHANGE.values] ?? [];
      for (let at = 0; at < values.length; at += 2) {
        words.push(this.texts[values[at]], History.plain(values[at + 1].old), History.plain(values[at + 1].new));
      }
    }
    for (const set of sets) for (const index of this.sets[set] ?? []) words.push(this.texts[index]);
    return words.join("\n").toLowerCase();
  }

  static plain(value) {
    if (value === null || value === undefined) return "";
    if (typeof value !== "object") return String(value);
    return value.$cut ?? value.$object ?? value.$int ?? value.$real ?? "";
  }
}

const histories = report.histories.map((raw, index) => new History(raw, index + 1));
