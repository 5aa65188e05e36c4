#!/usr/bin/env python3
"""Compares a database that histctl exported with the same history as JSON lines of transactions.

    compare_tables.py DATABASE LINES

Reads the tables with Python's own SQLite, puts the lines together from them and prints every
difference.  Ends with 1 where there is one.
"""
import base64
import json
import sqlite3
import sys

MOST_PROBLEMS = 10
NAMES = {"storeId": "stores", "authorId": "authors", "bundleId": "bundles",
         "processId": "processes", "contextId": "contexts"}


def rows(database, table):
    cursor = database.execute("SELECT * FROM %s ORDER BY 1" % table)
    names = [column[0] for column in cursor.description]
    for row in cursor:
        yield dict(zip(names, row))


def groups(database, table):
    found = {}
    for row in rows(database, table):
        found.setdefault(row["changeId"], []).append(row)
    return found


def plain(value):
    """A value of a line as a cell has it."""
    if isinstance(value, dict):
        if "$blob" in value:
            return base64.b64decode(value["$blob"])
        if "$real" in value:
            return float(value["$real"])
        if "$object" in value:
            return value["$object"]
        if "$text" in value:
            return json.dumps(value, separators=(",", ":"))
    return value


def text(value):
    return None if value is None else json.loads(value)


def same(mine, other):
    """Whether a cell has a value: a boolean is a number there."""
    if isinstance(other, bool):
        other = int(other)
    if isinstance(other, float) and isinstance(mine, (int, float)):
        return float(mine) == other
    return type(mine) is type(other) and mine == other


class Tables:
    def __init__(self, path):
        self.database = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
        self.names = {column: {row["id"]: row["name"] for row in rows(self.database, table)}
                      for column, table in NAMES.items()}
        self.entities = {row["id"]: row for row in rows(self.database, "entities")}
        self.attributes = {row["id"]: row for row in rows(self.database, "attributes")}
        self.sets = {row["id"]: row for row in rows(self.database, "attributeSets")}
        self.members = {}
        for row in rows(self.database, "attributeSetMembers"):
            self.members.setdefault(row["attributeSetId"], set()).add(
                self.attributes[row["attributeId"]]["name"])
        self.tombstones = groups(self.database, "tombstones")
        self.values = groups(self.database, "changeValues")
        self.changes = {}
        for row in rows(self.database, "changes"):
            self.changes.setdefault(row["transactionId"], []).append(row)

    def name(self, row, column):
        return None if row[column] is None else self.names[column][row[column]]

    def transaction(self, row, line):
        expected = {
            "storeId": line.get("store"), "timestamp": line.get("timestamp"),
            "timestampRaw": plain(line.get("timestampRaw")),
            "authorId": plain(line.get("author")), "bundleId": plain(line.get("bundle")),
            "processId": plain(line.get("process")), "contextId": plain(line.get("context")),
            "queryGenerationRaw": plain(line.get("queryGenerationRaw")),
            "partial": 1 if line.get("partial") else None,
        }
        for column, value in expected.items():
            mine = self.name(row, column) if column in NAMES else row[column]
            if not same(mine, value):
                yield "%s: %r, the line has %r" % (column, mine, value)
        if text(row["extra"]) != line.get("extra"):
            yield "extra: %r" % row["extra"]
        # SQLite gives the rows of a rowid table by their number, which may not be their order.
        mine = {change["id"]: change for change in self.changes.pop(row["id"], [])}
        for change in line["changes"]:
            found = mine.pop(change["change"], None)
            if found is None:
                yield "change %d is missing" % change["change"]
                continue
            for words in self.change(found, change):
                yield "change %d: %s" % (change["change"], words)
        if mine:
            yield "further changes %r" % list(mine)

    def change(self, row, change):
        entity = self.entities.get(row["entityId"], {"name": None, "number": None})
        attributes = self.sets.get(row["attributeSetId"], {"columnsRaw": None, "attributes": None})
        pairs = [("kind", row["kind"], change.get("kind")), ("pk", row["pk"], change.get("pk")),
                 ("entity", entity["name"], change.get("entity")),
                 ("entityRaw", entity["number"], change.get("entityRaw")),
                 ("columnsRaw", attributes["columnsRaw"], change.get("columnsRaw")),
                 ("attributes", text(attributes["attributes"]), change.get("attributes")),
                 ("tombstoneRaw", text(row["tombstoneRaw"]), change.get("tombstoneRaw")),
                 ("extra", text(row["extra"]), change.get("extra"))]
        if change.get("attributes") is not None:
            pairs.append(("members", self.members.get(row["attributeSetId"], set()),
                          set(change["attributes"])))
            if attributes["entityId"] != row["entityId"]:
                yield "the attributes are those of another entity"
        for name, mine, other in pairs:
            if mine != other:
                yield "%s: %r, the line has %r" % (name, mine, other)
        found = {self.attribute(value, row): value["value"]
                 for value in self.tombstones.pop(row["id"], [])}
        expected = {name: plain(value) for name, value in (change.get("tombstone") or {}).items()}
        if set(found) != set(expected) or not all(
                same(found[name], expected[name]) for name in found):
            yield "tombstone: %r, the line has %r" % (found, expected)
        yield from self.known(row, change)

    def known(self, row, change):
        values = {self.attribute(value, row): value for value in self.values.pop(row["id"], [])}
        expected = change.get("values", {})
        if set(values) != set(expected):
            yield "values of %r, the line has %r" % (list(values), list(expected))
            return
        for name, value in expected.items():
            mine = values[name]
            if mine["source"] != change.get("valuesFrom", "program"):
                yield "%s: from %s" % (name, mine["source"])
            if mine["known"] != ("both" if "old" in value and "new" in value
                                 else "old" if "old" in value else "new"):
                yield "%s: %s is known" % (name, mine["known"])
            for side in ("old", "new"):
                other, length = value.get(side), None
                if isinstance(other, dict) and "$sha256" in other:
                    other, length = bytes.fromhex(other["$sha256"]), other["length"]
                if not same(mine[side], plain(other)) or mine[side + "Length"] != length:
                    yield "%s %s: %r, the line has %r" % (side, name, mine[side], value.get(side))

    def attribute(self, value, change):
        attribute = self.attributes[value["attributeId"]]
        if attribute["entityId"] != change["entityId"]:
            raise ValueError("the attribute %r is that of another entity" % attribute)
        return attribute["name"]


def problems(path, lines):
    tables = Tables(path)
    database = tables.database
    for check in ("integrity_check", "foreign_key_check"):
        for row in database.execute("PRAGMA " + check):
            if row != ("ok",):
                yield "%s: %r" % (check, row)
    transactions = {row["id"]: row for row in rows(database, "transactions")}
    gaps = [(row["after"], row["oldest"]) for row in rows(database, "gaps")]
    counted = 0
    for line in lines:
        line = json.loads(line)
        if line["type"] == "gap":
            gaps.remove((line["after"], line.get("oldest")))
            continue
        row = transactions.pop(line["transaction"], None)
        if row is None:
            yield "transaction %d is missing" % line["transaction"]
            continue
        counted += len(line["changes"])
        for words in tables.transaction(row, line):
            yield "transaction %d: %s" % (line["transaction"], words)
    if transactions or gaps or tables.changes or tables.tombstones or tables.values:
        yield "further rows"
    for view, count in (("namedTransactions", None), ("namedChanges", counted)):
        found = database.execute("SELECT count(*) FROM " + view).fetchone()[0]
        if count is not None and found != count:
            yield "%s has %d rows, not %d" % (view, found, count)
    for view in ("namedAttributes", "namedValues", "namedTombstones"):
        database.execute("SELECT * FROM " + view).fetchall()


def main():
    path, lines = sys.argv[1:]
    count = 0
    with open(lines, encoding="utf-8", newline="\n") as file:
        for words in problems(path, file):
            count += 1
            if count <= MOST_PROBLEMS:
                print(words)
    sys.exit(1 if count else 0)


if __name__ == "__main__":
    main()
