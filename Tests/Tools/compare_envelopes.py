#!/usr/bin/env python3
"""Compares an export of a store in one of the formats of one record per change with the store.

    compare_envelopes.py FORMAT STORE LINES < EXPORT

FORMAT is changes, cloudevents, debezium, csv, timesketch or bodyfile; LINES is a file with the same history as JSON lines
of transactions, which tells the names that only a model knows.  Everything else is read from the
store with Python's own SQLite.  Prints every difference and ends with 1 where there is one.
"""
import base64
import csv
import io
import json
import re
import sqlite3
import sys
import urllib.parse
from fractions import Fraction

KINDS = {0: "insert", 1: "update", 2: "delete"}
TEXTS = ("author", "bundle", "process", "context")
COLUMNS = {"author": "ZAUTHOR", "bundle": "ZBUNDLEID", "process": "ZPROCESSID",
           "context": "ZCONTEXTNAME"}
MOST_PROBLEMS = 10


def members(pairs):
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key is there twice in %r" % (pairs,))
    return result


def refuse(word):
    raise ValueError("%s is not JSON" % word)


def parse(text):
    return json.loads(text, object_pairs_hook=members, parse_constant=refuse)


def exact(value):
    """A text that differs for values of different types, and for different doubles."""
    return json.dumps(value)


def raw(value):
    """A stored value as the lines write it."""
    if isinstance(value, Text):
        try:
            text = value.data.decode("utf-8")
        except UnicodeDecodeError:
            text = "\0"
        return {"$text": base64.b64encode(value.data).decode()} if "\0" in text else text
    if isinstance(value, bytes):
        return {"$blob": base64.b64encode(value).decode()}
    if isinstance(value, float):
        if value in (float("inf"), float("-inf")):
            return {"$real": "inf" if value > 0 else "-inf"}
        if value == 0 and str(value) == "-0.0":
            return {"$real": "-0.0"}
    return value


class Text:
    def __init__(self, data):
        self.data = data


def rows(database, table):
    names = [row[1].data.decode() for row in database.execute("PRAGMA table_info(%s)" % table)]
    order = "Z_PK" if "Z_PK" in names else names[0]
    for row in database.execute("SELECT * FROM %s ORDER BY %s" % (table, order)):
        yield dict(zip(names, row))


class Store:
    """The changes of a store, each as the values of a record that its row gives."""

    def __init__(self, path):
        database = sqlite3.connect("file:%s?mode=ro" % urllib.parse.quote(path), uri=True)
        database.text_factory = Text
        tables = {row[0].data for row in database.execute("SELECT name FROM sqlite_master")}
        self.strings = {}
        if b"ATRANSACTIONSTRING" in tables:
            self.strings = {row["Z_PK"]: row["ZNAME"]
                            for row in rows(database, "ATRANSACTIONSTRING")}
        self.interns = b"ATRANSACTIONSTRING" in tables
        self.transactions = {row["Z_PK"]: row for row in rows(database, "ATRANSACTION")}
        self.changes = sorted(
            rows(database, "ACHANGE"), key=lambda row: (row["ZTRANSACTIONID"], row["Z_PK"]))

    def text(self, row, role):
        """The stored text of a transaction, and the columns that it comes from."""
        plain, number = COLUMNS[role], COLUMNS[role] + "TS"
        columns = [name for name in (plain, number) if name in row]
        value = row.get(plain)
        if self.interns and number in row and row[number] is not None:
            value = self.strings.get(row[number])
        return value, columns

    def problems(self, record, change):
        """Where a record is not what the rows say, save for what it says under its extra columns."""
        transaction = self.transactions[change["ZTRANSACTIONID"]]
        extra, outer = record.get("extra", {}), record.get("transactionExtra", {})
        expected = {"transaction": transaction["Z_PK"], "change": change["Z_PK"]}
        if "ZTIMESTAMP" not in outer:
            expected["timestampRaw"] = raw(transaction["ZTIMESTAMP"])
        for role in TEXTS:
            value, columns = self.text(transaction, role)
            if not any(column in outer for column in columns):
                expected[role] = raw(value)
        if "ZCHANGETYPE" not in extra:
            expected["kind"] = KINDS[change["ZCHANGETYPE"]]
        if "ZENTITYPK" not in extra:
            expected["pk"] = change["ZENTITYPK"]
        if "ZCOLUMNS" not in extra:
            mask = change["ZCOLUMNS"]
            expected["columnsRaw"] = None if mask is None else mask.hex()
        if "entityRaw" in record:
            expected["entityRaw"] = change["ZENTITY"]
        values = [change[name] for name in sorted(
            (name for name in change if name.startswith("ZTOMBSTONE") and name not in extra),
            key=lambda name: int(name[10:]))]
        while values and values[-1] is None:
            values.pop()
        if "tombstoneRaw" in record:
            expected["tombstoneRaw"] = [raw(value) for value in values]
        elif len(record.get("tombstone") or {}) != len([v for v in values if v is not None]):
            yield "%d values in the tombstone, stored %r" % (
                len(record.get("tombstone") or {}), values)
        for key, value in expected.items():
            if exact(record.get(key)) != exact(value):
                yield "%s: %r, stored %r" % (key, record.get(key), value)


def flat(line):
    """The records of a line's changes."""
    transaction = parse(line)
    for change in transaction["changes"]:
        record = {key: transaction[key] for key in
                  ("schema", "store", "transaction", "timestamp", "timestampRaw") + TEXTS
                  if key in transaction}
        record["type"] = "change"
        if "extra" in transaction:
            record["transactionExtra"] = transaction["extra"]
        record.update(change)
        if "entity" in change and "pk" in change:
            record["object"] = "%s/p%d" % (change["entity"], change["pk"])
        yield record


def since_1970(stored):
    """The microseconds since 1970 of a stored time; None where it has none."""
    if isinstance(stored, float) and abs(stored) < 9e12:
        return round((Fraction(stored) + 978307200) * 10**6)
    return None


def clean(value):
    """The text of an author or its like, with U+FFFD for what is not UTF-8."""
    if isinstance(value, dict):
        return base64.b64decode(value["$text"]).decode("utf-8", errors="replace")
    return value


def sentence(record):
    """The object of a change and its attributes, and who saved it."""
    place = record.get("entity", "#%s" % record.get("entityRaw", "?"))
    if "pk" in record:
        place += "/p%d" % record["pk"]
    if record.get("attributes"):
        place += " (%s)" % ", ".join(record["attributes"])
    savers = [clean(record.get(key)) for key in ("author", "process", "bundle")]
    return place, "".join(" by " + saver for saver in [s for s in savers if s][:1])


class Timesketch:
    VERBS = {"insert": "Inserted", "update": "Updated", "delete": "Deleted", None: "Changed"}
    NESTED = ("values", "tombstone", "tombstoneRaw", "extra", "transactionExtra")

    def __init__(self, store):
        self.store = store

    def problems(self, line, record):
        event = parse(line)
        for name, value in event.items():
            # The index gives each key one type for good.
            if name in ("timestamp", "transaction", "change", "pk", "entityRaw"):
                good = type(value) is int
            elif name == "timestampRaw":
                good = type(value) in (int, float)
            elif name == "attributes":
                good = all(type(text) is str for text in value)
            else:
                good = type(value) is str
            if not good:
                yield "%s: %r has another type" % (name, value)
        place, saver = sentence(record)
        time = since_1970(self.store.transactions[record["transaction"]]["ZTIMESTAMP"])
        expected = {key: clean(value) if key in TEXTS else value for key, value in record.items()
                    if key not in ("schema", "type", "timestamp")}
        if isinstance(record.get("timestampRaw"), dict):
            # An infinite time has none that is a number.
            if record["timestampRaw"]["$real"] != "-0.0":
                del expected["timestampRaw"]
            else:
                expected["timestampRaw"] = event["timestampRaw"] = 0.0
        expected["data_type"] = "histctl:change"
        expected["message"] = "%s %s%s" % (self.VERBS[record.get("kind")], place, saver)
        has_time = "timestamp" in record
        expected["timestamp"] = time if has_time else 0
        expected["datetime"] = (record["timestamp"][:-1] if has_time
                                else "1970-01-01T00:00:00") + "+00:00"
        expected["timestamp_desc"] = (
            "Object " + self.VERBS[record.get("kind")].lower() if has_time else "Not a time")
        mine = {key: parse(value) if key in self.NESTED else value for key, value in event.items()}
        yield from differences(mine, expected)
        if list(event)[:4] != ["message", "datetime", "timestamp", "timestamp_desc"]:
            yield "the order %r" % list(event)


def mactime(line):
    """The columns of a line as mactime splits it: it decodes percent signs afterwards."""
    return [re.sub("%([A-F0-9][A-F0-9])", lambda digits: chr(int(digits.group(1), 16)), column,
                   flags=re.IGNORECASE) for column in line.split("|")]


def visible(text):
    """A text without line ends and the like."""
    return "".join(
        "\\\\" if c == "\\" else "\\u{%X}" % ord(c)
        if ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0 or ord(c) in (0x2028, 0x2029, 0x61C, 0x200E, 0x200F)
        or 0x202A <= ord(c) <= 0x202E or 0x2066 <= ord(c) <= 0x2069 else c for c in text)


def body_problems(line, record, store):
    if len(line.splitlines()) != 1:
        yield "%r is not one line" % line
    columns = mactime(line)
    place, saver = sentence(record)
    time = since_1970(store.transactions[record["transaction"]]["ZTIMESTAMP"]) or 0
    times = ["0"] * 4
    times[{"update": 1, "insert": 3}.get(record.get("kind"), 2)] = str(max(time // 10**6, 0))
    expected = ["0", "x-coredata://%s/%s" % (visible(record.get("store", "")), visible(place + saver)),
                "%d-%d" % (record["transaction"], record["change"]), "-" * 10, "0", "0", "0"] + times
    if columns != expected:
        yield "%r instead of %r" % (columns, expected)


def allowed(text):
    """Whether a text is a non-empty String of CloudEvents."""
    return bool(text) and not any(
        ord(c) < 0x20 or 0x7F <= ord(c) <= 0x9F or 0xFDD0 <= ord(c) <= 0xFDEF
        or ord(c) & 0xFFFE == 0xFFFE or 0xD800 <= ord(c) <= 0xDFFF for c in text)


class CloudEvents:
    def __init__(self):
        self.identifiers, self.last = set(), ""

    def record(self, line):
        event = parse(line)
        data = event["data"]
        for name, value in event.items():
            if not re.fullmatch("[a-z0-9]{1,20}", name):
                raise ValueError("the attribute name %r" % name)
            if name != "data" and (type(value) is not str or not allowed(value)):
                raise ValueError("%s: %r is no string of CloudEvents" % (name, value))
        expected = {
            "specversion": "1.0", "datacontenttype": "application/json",
            "dataschema": "urn:histctl:change:1",
            "type": "alt.histctl." + data.get("kind", "unknown"),
            "id": "%d-%d" % (data["transaction"], data["change"]), "time": data.get("timestamp"),
        }
        for name, value in expected.items():
            if event.get(name) != value:
                raise ValueError("%s: %r instead of %r" % (name, event.get(name), value))
        source = urllib.parse.urlsplit(event["source"])
        if source.scheme != "x-coredata" or not re.fullmatch("[!-~]+", event["source"]):
            raise ValueError("source: %r" % event["source"])
        if urllib.parse.unquote(source.netloc) != data.get("store", ""):
            raise ValueError("source: %r for the store %r" % (event["source"], data.get("store")))
        subject = event.get("subject")
        if (None if subject is None else urllib.parse.unquote(subject)) != data.get("object"):
            raise ValueError("subject: %r for %r" % (subject, data.get("object")))
        if event["id"] in self.identifiers:
            raise ValueError("id: %r is there twice" % event["id"])
        self.identifiers.add(event["id"])
        # Code points in their order are the bytes of UTF-8 in theirs.
        if event["sequence"] <= self.last:
            raise ValueError("sequence: %r after %r" % (event["sequence"], self.last))
        self.last = event["sequence"]
        return data


class Debezium:
    FIELDS = ["before", "after", "source", "op", "ts_ms", "transaction", "history"]
    SOURCE = ["version", "connector", "name", "ts_ms", "ts_us", "snapshot", "db", "txId", "table",
              "change", "sequence"]

    def __init__(self, store):
        self.store = store
        self.last = ""

    def record(self, line, place, collection):
        event = parse(line)
        if list(event) != self.FIELDS:
            raise ValueError("the fields %r" % list(event))
        source, history = event["source"], event["history"]
        if [key for key in source if key not in TEXTS] != self.SOURCE:
            raise ValueError("the fields of source %r" % list(source))
        if (source["version"], source["connector"], source["name"], source["snapshot"]) != (
                "1", "histctl", "histctl", "false"):
            raise ValueError("source: %r" % source)
        stored = self.store.transactions[source["txId"]]["ZTIMESTAMP"]
        self.check_time(source, event, stored)
        if event["transaction"] != {"id": str(source["txId"]), "total_order": place,
                                    "data_collection_order": collection}:
            raise ValueError("transaction: %r, expected orders %d and %d"
                             % (event["transaction"], place, collection))
        if source["sequence"] != "%019d.%019d" % (source["txId"], source["change"]):
            raise ValueError("sequence: %r" % source["sequence"])
        if source["sequence"] <= self.last:
            raise ValueError("sequence: %r after %r" % (source["sequence"], self.last))
        self.last = source["sequence"]
        record = {"schema": 1, "type": "change", "transaction": source["txId"],
                  "change": source["change"]}
        if source["db"]:
            record["store"] = source["db"]
        record.update({key: source[key] for key in TEXTS if key in source})
        record["kind"] = {"c": "insert", "u": "update", "d": "delete"}[event["op"]]
        if source["table"] is not None:
            record["entity"] = source["table"]
        row, other = ("before", "after") if event["op"] == "d" else ("after", "before")
        if event[other] is not None or (row == "after" and list(event[row]) != ["Z_PK"]):
            raise ValueError("before %r, after %r" % (event["before"], event["after"]))
        values = dict(event[row])
        key = values.pop("Z_PK")
        if key is not None:
            record["pk"] = key
        if values:
            record["tombstone"] = values
        record.update(history)
        return record

    @staticmethod
    def check_time(source, event, stored):
        microseconds = since_1970(stored)
        milliseconds = None if microseconds is None else microseconds // 1000
        if (source["ts_us"], source["ts_ms"], event["ts_ms"]) != (
                microseconds, milliseconds, milliseconds):
            raise ValueError("times %r, %r and %r for %r" % (
                source["ts_us"], source["ts_ms"], event["ts_ms"], stored))


def differences(record, expected, keys=None):
    for key in sorted(set(record) | set(expected)):
        if keys is not None and key not in keys:
            continue
        if exact(record.get(key)) != exact(expected.get(key)):
            yield "%s: %r instead of %r" % (key, record.get(key), expected.get(key))


JSON_CELLS = (
    "attributes", "tombstone", "tombstoneRaw", "extra", "transactionExtra", "values")
INTEGER_CELLS = ("transaction", "change", "pk", "entityRaw")


def cell(name, value):
    """What Python's csv should read for a value of a record."""
    if value is None:
        return ""
    if name == "timestampRaw":
        return value["$real"] if isinstance(value, dict) else value
    if name in JSON_CELLS:
        return value
    if isinstance(value, str) and "\0" in value:
        value = {"$text": base64.b64encode(value.encode()).decode()}
    return json.dumps(value, separators=(",", ":")) if isinstance(value, dict) else str(value)


def csv_problems(text, expected):
    csv.field_size_limit(1 << 30)
    table = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    header = table[0]
    if len(table) - 1 != len(expected):
        yield "%d rows for %d changes" % (len(table) - 1, len(expected))
    for number, (row, record) in enumerate(zip(table[1:], expected), 1):
        if len(row) != len(header):
            yield "row %d has %d cells" % (number, len(row))
            continue
        for name, value in zip(header, row):
            wanted = cell(name, record.get(name))
            if name in JSON_CELLS and value:
                value, wanted = exact(parse(value)), exact(wanted)
            if name == "timestampRaw" and value and not isinstance(wanted, str):
                value, wanted = float(value).hex(), float(wanted).hex()
            if value != wanted:
                yield "row %d, %s: %r instead of %r" % (number, name, value, wanted)


def json_problems(form, lines, expected, store):
    lines = lines[:-1] if lines[-1:] == [""] else lines + ["no line feed at the end"]
    cloud, debezium, timesketch = CloudEvents(), Debezium(store), Timesketch(store)
    at, transaction, place, collections = 0, None, 0, {}
    for change, record in zip(store.changes, expected):
        if change["ZTRANSACTIONID"] != transaction:
            transaction, place, collections = change["ZTRANSACTIONID"], 0, {}
        # The orders count what the store holds, also changes that give no event.
        place += 1
        collection = record.get("entity")
        collections[collection] = collections.get(collection, 0) + 1
        if form == "debezium" and "kind" not in record:
            continue
        if form in ("timesketch", "bodyfile") and at < len(lines):
            for words in (timesketch.problems(lines[at], record) if form == "timesketch"
                          else body_problems(lines[at], record, store)):
                yield "change %d: %s" % (change["Z_PK"], words)
            at += 1
            continue
        where = "change %d: " % change["Z_PK"]
        if at == len(lines):
            yield where + "no line"
            return
        try:
            keys = None
            if form == "changes":
                mine = parse(lines[at])
            elif form == "cloudevents":
                mine = cloud.record(lines[at])
            else:
                mine = debezium.record(lines[at], place, collections[collection])
                # The times are others, and a tombstone without values is a row with the key alone.
                mine["timestampRaw"] = record.get("timestampRaw")
                keys = set(record) | set(mine)
                keys -= {"timestamp", "timestampRaw", "object"}
                if record.get("tombstone") == {}:
                    keys.discard("tombstone")
            at += 1
            for words in differences(mine, record, keys):
                yield where + words
            for words in store.problems(mine, change):
                yield where + words
        except (KeyError, TypeError, ValueError) as error:
            at += 1
            yield where + repr(error)
    if at != len(lines):
        yield "%d lines too many" % (len(lines) - at)


def main():
    form, path, lines = sys.argv[1:]
    with open(lines, encoding="utf-8", newline="\n") as file:
        expected = [record for line in file for record in flat(line)]
    store = Store(path)
    text = sys.stdin.buffer.read().decode("utf-8")
    if len(expected) != len(store.changes):
        sys.exit("%d changes in the lines, %d in the store" % (len(expected), len(store.changes)))
    found = (csv_problems(text, expected) if form == "csv"
             else json_problems(form, text.split("\n"), expected, store))
    count = 0
    for words in found:
        count += 1
        if count <= MOST_PROBLEMS:
            print(words)
    sys.exit(1 if count else 0)


if __name__ == "__main__":
    main()
