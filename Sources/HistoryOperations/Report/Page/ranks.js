// The most active entities, attributes, objects and authors. A click filters the transactions, or opens the object.

const RANKS = { author: "Authors", bundle: "Bundles", process: "Processes", entity: "Entities", attribute: "Attributes", object: "Objects" };

class Rank {
  // Shows one of several dimensions, the first of them at the beginning.
  constructor(history, filters, dimensions) {
    this.history = history;
    this.filters = filters;
    this.dimensions = dimensions;
    this.dimension = dimensions[0];
    this.heading = el("h2", {}, RANKS[this.dimension]);
    this.controls = el("span", { class: "switches" });
    this.list = el("div", { class: "ranks", role: "group" });
    this.cut = el("p", { class: "cut" });
    this.element = el("section", { class: `panel rank rank-${dimensions[0]}` },
      el("header", {}, this.heading, el("span", { class: "spacer" }), this.controls), this.list, this.cut);
    this.list.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const buttons = [...this.list.children];
      const at = buttons.indexOf(document.activeElement);
      if (!step || at < 0) return;
      event.preventDefault();
      buttons[Math.max(0, Math.min(buttons.length - 1, at + step))].focus();
    });
    this.redraw();
  }

  // Rows of name, shown name, what it belongs to, count, parts of the bar, and words for the tip.
  get rows() {
    const { dimension, history } = this;
    const rows = history.raw.ranks?.[dimension]?.rows ?? [];
    if (dimension === "attribute") {
      return rows.map(([entity, attribute, updates]) => ({
        name: joinAttribute(entity, attribute), shown: attribute, of: entity, count: updates, parts: [["update", updates]],
        words: plural(updates, "update"),
      }));
    }
    if (dimension === "object") {
      return rows.map(([name, inserts, updates, deletes, others, share, seconds, first, last, author]) => ({
        name, shown: name, count: Number(inserts) + Number(updates) + Number(deletes) + Number(others),
        parts: [["insert", inserts], ["update", updates], ["delete", deletes], ["other", others]],
        words: [`${(share * 100).toFixed(1)} % of all changes`, typeof seconds === "number" && `one every ${interval(seconds)}`,
          first !== null && `from ${moment(first)} to ${moment(last)}`, author !== null && `mostly by ${oneLine(author)}`].filter(Boolean).join(", "),
      }));
    }
    return rows.map(([name, ...row]) => {
      const kinds = ["inserts", "updates", "deletes"].map((kind) => `${number(row[ROW[kind]])} ${kind}`).join(", ");
      const size = typeof row[ROW.bytes] === "number" ? `, ${bytes(row[ROW.bytes])}` : "";
      const words = `${plural(row[ROW.transactions], "transaction")}, ${plural(row[ROW.changes], "change")}: ${kinds}${size}`;
      if (dimension === "entity") {
        return {
          name, shown: name, count: row[ROW.changes], words,
          parts: [["insert", row[ROW.inserts]], ["update", row[ROW.updates]], ["delete", row[ROW.deletes]], ["other", row[ROW.others]]],
        };
      }
      return { name, shown: name, count: row[ROW.transactions], words, parts: [[history.colour(dimension, name), row[ROW.transactions]]] };
    });
  }

  redraw() {
    const { dimension, filters, rows } = this;
    this.shown = rows;
    this.heading.textContent = RANKS[dimension];
    this.list.setAttribute("aria-label", RANKS[dimension]);
    if (this.dimensions.length > 1) {
      replace(this.controls, choice("Rank", this.dimensions.map((one) => [one, RANKS[one]]), dimension, (value) => {
        this.dimension = value;
        this.redraw();
      }));
    } else {
      this.controls.replaceChildren(el("span", { class: "quiet small" }, dimension === "attribute" ? "by updates" : "by changes"));
    }
    const most = Math.max(1, ...rows.map((row) => row.count));
    const none = dimension === "attribute" && !this.history.isEmpty ? "No update names its attributes." : "None.";
    replace(this.list, rows.length === 0 ? el("p", { class: "empty" }, none) : rows.map((row, index) => {
      let x = 0;
      return el("button", {
        type: "button", "aria-pressed": "false", "data-value": `row ${index}`,
        title: `${row.of ? `${oneLine(row.of)}.` : ""}${named(row.shown)}: ${row.words}`,
        onclick: () => (dimension === "object" ? this.openObject(row.name) : filters.toggle(dimension, row.name)),
      }, el("span", { class: "name" }, row.of ? el("span", { class: "of" }, el("bdi", {}, oneLine(row.of)), ".") : null,
        el("bdi", { class: row.shown === null && "none-name" }, named(row.shown))),
      el("span", { class: "count" }, number(row.count)),
      svg("svg", { viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": "true" }, row.parts.map(([colour, count]) => {
        const part = svg("rect", { class: `f${colour}`, x, width: (count / most) * 100, height: 4 });
        x += (count / most) * 100;
        return part;
      })));
    }));
    this.mark();
    this.cut.textContent = this.more();
  }

  openObject(object) { address.go({ ...address.of(this.history), ...address.filters(this.filters), object }); }

  // Shows which name the filters have chosen.
  mark() {
    if (this.dimension === "object") return;
    this.shown.forEach((row, index) => {
      this.list.children[index].setAttribute("aria-pressed", String(this.filters.has(this.dimension, row.name)));
    });
  }

  more() {
    const more = this.history.raw.ranks?.[this.dimension]?.more;
    if (!more) return "";
    const count = typeof more.count === "number" ? `${number(more.count)} more` : "Many more";
    const of = more.updates !== undefined ? plural(more.updates, "update")
      : more.row ? (this.dimension === "entity" ? plural(more.row[ROW.changes], "change") : plural(more.row[ROW.transactions], "transaction")) : null;
    return of ? `${count}, with ${of} together` : count;
  }
}
