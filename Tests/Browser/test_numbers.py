"""Every number on the page is the one that stats, log and diff print for the same store."""
import collections
import contextlib
import datetime
import os
import re
import shutil
import sqlite3

import stores
from browser import PageTest, histctl, json_lines
from made_up import HOSTILE
from test_page import visible

DIMENSIONS = {"author": "authors", "bundle": "bundles", "process": "processes", "entity": "entities", "kind": "kinds"}
MARKS = {"insert": "+", "update": "~", "delete": "\u2212"}
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def number(text):
    return int(text.replace(",", ""))


def size(count):
    """Bytes as histctl writes them."""
    if count < 1024:
        return f"{count} B"
    unit = 0
    while True:
        unit += 1
        tenths = (count * 20 // 1024 ** unit + 1) // 2
        if tenths < 10240:
            return f"{tenths // 10}.{tenths % 10} {'BKMGT'[unit]}iB"


def name_of(text):
    return None if text == "(none)" else text


def one_line(text):
    return re.sub("[\t\n]+", " ", visible(text))


class Numbers(PageTest):
    maxDiff = 2000

    def compare(self, store, zone="UTC"):
        self.zone = zone
        self.look(1440, 1000, zone=zone)
        self.open(stores.report(os.path.basename(os.path.dirname(store)) + os.path.basename(store), store))
        stats = json_lines("stats", store, "--by", "day", "--top", "1000", TZ=zone)[0]
        # A line for a gap may come before the transactions.
        log = [line for line in json_lines("log", store) if line["type"] == "transaction"]
        self.assertEqual(len(log), stats["transactions"])
        self.figures(stats)
        self.ranks(stats, log)
        self.timeline(stats, log)
        self.hours(log)
        self.growth(store)
        self.transactions(log)
        self.opened(log)
        self.objects(store, log)

    def figures(self, stats):
        shown = dict(zip(self.texts(".figure dt"), self.texts(".figure dd:nth-of-type(1)")))
        self.assertEqual(number(shown["Transactions"]), stats["transactions"])
        self.assertEqual(number(shown["Changes"]), stats["changes"])
        self.assertEqual(shown["History"], size(stats["bytes"]))
        for kind in ("insert", "update", "delete"):
            self.assertEqual(number(re.findall(r"\d[\d,]*", self.text(f".kind-link[data-kind={kind}]"))[0]), stats[f"{kind}s"])

    def ranks(self, stats, log):
        for dimension in ("author", "bundle", "process", "entity"):
            panel = ".rank-entity" if dimension == "entity" else ".rank-author"
            if dimension != "entity":
                self.click(f"{panel} [data-value={dimension}]")
            titles = self.ask("[...document.querySelectorAll(`${arguments[0]} .ranks button`)].map((one) => [one.querySelector('.name').textContent, one.title])", panel)
            shown = [(name_of(name), *map(number, re.findall(r"\d[\d,]*", title[len(name) + 2:])[:5]), title.rsplit(", ", 1)[1]) for name, title in titles]
            expected = [(row[dimension] and one_line(row[dimension]), row["transactions"], row["changes"], row["inserts"], row["updates"], row["deletes"], size(row["bytes"]))
                        for row in stats[DIMENSIONS[dimension]]]
            self.assertEqual(sorted(shown, key=repr), sorted(expected, key=repr)[:100])
        counts = collections.Counter(f"{change['entity']}.{attribute}" for line in log for change in line["changes"]
                                     if change["kind"] == "update" for attribute in change.get("attributes", []))
        shown = dict(zip(self.texts(".rank-attribute .ranks .name"), map(number, self.texts(".rank-attribute .ranks .count"))))
        for name, count in shown.items():
            self.assertEqual(counts[name], count, name)
        self.assertEqual(len(shown), min(100, len(counts)))
        self.assertEqual(sorted(shown.values()), sorted(count for _, count in counts.most_common(100)))

    def table(self, chart):
        self.click(f".{chart} > header > .button")
        headings = self.texts(f".{chart} thead th")
        rows = self.ask("[...document.querySelectorAll(`.${arguments[0]} tbody tr`)].map((row) => [...row.children].map((cell) => cell.textContent))", chart)
        self.click(f".{chart} > header > .button")
        return headings, rows

    def timeline(self, stats, log):
        days = (datetime.date.fromisoformat(log[0]["timestamp"][:10]) - datetime.date.fromisoformat(log[-1]["timestamp"][:10])).days
        level = "day" if days < 1400 else "month"
        self.click(f".timeline [data-value={level}]")
        periods = collections.defaultdict(lambda: [0, 0])
        for period in stats["periods"]:
            if period["transactions"]:
                key = period["period"] if level == "day" else period["period"][:7]
                periods[key][0] += period["transactions"]
                periods[key][1] += period["changes"]
        for dimension, plural in DIMENSIONS.items():
            self.click(f".timeline [data-value={dimension}]")
            if dimension == "author":
                self.click(".timeline [data-value=transactions]")
            measure = "changes" if dimension in ("entity", "kind") else "transactions"
            headings, rows = self.table("timeline")
            shown = {self.day(row[0]): [number(row[1]), number(row[2])] for row in rows}
            # The periods of stats are whole days, months are sums of them.
            self.assertEqual(shown, dict(periods))
            known = {row[dimension] and one_line(row[dimension]): row[measure] for row in stats[plural]}
            others = sum(known.values())
            for at, heading in enumerate(headings[3:], 3):
                total = sum(number(row[at]) for row in rows)
                if heading == "others" and "others" not in known:
                    self.assertEqual(total, others)
                else:
                    self.assertEqual(total, known[name_of(heading)], heading)
                    others -= total
            if dimension == "author" and self.zone == "UTC":
                cells = collections.Counter((line["timestamp"][:10] if level == "day" else line["timestamp"][:7], line.get("author") and one_line(line["author"])) for line in log)
                for row in rows:
                    for at, heading in enumerate(headings[3:], 3):
                        if heading != "others":
                            self.assertEqual(number(row[at]), cells[self.day(row[0]), name_of(heading)])

    def day(self, text):
        words = text.split()
        if len(words) == 2:
            return f"{words[1]}-{MONTHS.index(words[0]) + 1:02}"
        return f"{words[3]}-{MONTHS.index(words[2]) + 1:02}-{int(words[1]):02}"

    def hours(self, log):
        if self.zone != "UTC":
            return
        times = [datetime.datetime.fromisoformat(line["timestamp"].replace("Z", "+00:00")) for line in log]
        counts = collections.Counter((time.hour, time.weekday()) for time in times)
        for hour, row in enumerate(self.table("heat")[1]):
            self.assertEqual([number(cell) for cell in row[1:]], [counts[hour, day] for day in range(7)])

    def growth(self, store):
        """The bytes of a period are rounded: the sums are those of hours."""
        total, expected = 0, {}
        for period in json_lines("stats", store, "--by", "hour", TZ=self.zone)[0]["periods"]:
            total += period["bytes"]
            if period["transactions"]:
                expected[period["period"][:10]] = size(total)
        self.assertEqual([row[1] for row in self.table("growth")[1]], list(expected.values())[:1000])

    def transactions(self, log):
        expected = []
        for line in log:
            entities = {}
            for change in line["changes"]:
                counts = entities.setdefault(change.get("entity"), collections.Counter())
                counts[change["kind"]] += 1
            summary = "".join(f"{one_line(entity or 'unknown entity')}" + "".join(f"{MARKS[kind]}{counts[kind]:,}" for kind in MARKS if counts[kind])
                              for entity, counts in list(entities.items())[:8])
            author = line.get("author")
            expected.append([str(line["transaction"]), "(none)" if author is None else one_line(author), summary or "no changes"])
        self.assertEqual([row[:3] for row in self.rows()], expected)

    def opened(self, log):
        for line in log[::max(1, len(log) // 12)]:
            self.driver.execute_script("location.hash = `tx=${arguments[0]}`", line["transaction"])
            self.settle()
            self.assertEqual(self.text(".inspect h2"), f"Transaction {line['transaction']}")
            while self.ask("[...document.querySelectorAll('.inspect .more')].some((one) => !one.hidden)"):
                self.click(".inspect .more:not([hidden])")
            shown = self.ask("""[...document.querySelectorAll('.inspect .change')].map((change) => ({
                kind: change.querySelector('.kind').textContent, object: change.querySelector('.top .link').textContent,
                names: [...change.querySelectorAll('.names > *, .values[aria-label=values] th')].map((one) => one.textContent),
                gone: Object.fromEntries([...change.querySelectorAll('.values[aria-label=tombstone] tr')].map((row) => [row.children[0].textContent, row.children[1].textContent])),
            }))""")
            self.assertEqual(len(shown), len(line["changes"]))
            for one, change in zip(shown, line["changes"]):
                self.assertEqual(one["kind"], change["kind"])
                self.assertEqual(one["object"], visible(f"{change.get('entity', 'unknown')}/p{change['pk']}"))
                if change["kind"] == "update":
                    self.assertEqual(sorted(one["names"]), sorted(change.get("attributes", [])))
                for attribute, value in change.get("tombstone", {}).items():
                    if isinstance(value, str) and value:
                        self.assertEqual(one["gone"][attribute], visible(value))
                    elif isinstance(value, (int, float)) and not isinstance(value, bool):
                        self.assertEqual(float(one["gone"][attribute]), value)
                    else:
                        self.assertIn(attribute, one["gone"])

    def objects(self, store, log):
        diff = [line for line in json_lines("diff", store, "0") if line["type"] == "netChange"]
        changes = collections.defaultdict(list)
        for line in reversed(log):
            for change in line["changes"]:
                changes[f"{change.get('entity')}/p{change['pk']}"].append((line["transaction"], change))
        for line in diff[::max(1, len(diff) // 20)]:
            self.driver.execute_script("location.hash = `object=${arguments[0]}`", line["object"])
            self.settle()
            self.assertEqual(self.text(".inspect h2"), line["object"])
            pairs = dict(zip(self.texts(".inspect .pairs dt"), self.texts(".inspect .pairs dd")))
            self.assertEqual(number(pairs["changes"].split(" ")[0]), line["changeCount"])
            self.assertEqual(pairs["state"], {"delete": "deleted", "insert": "exists", "update": "exists, inserted earlier"}[line["kind"]])
            shown = [int(text[1:]) for text in self.texts(".inspect .change .top .mono")]
            expected = [transaction for transaction, _ in reversed(changes[line["object"]])]
            self.assertEqual(shown, expected[:100])
            self.assertEqual((expected[-1], expected[0]), (line["firstTransaction"], line["lastTransaction"]))
            if line["kind"] == "update":
                self.assertEqual(sorted(self.texts(".inspect .values[aria-label=attributes] th")), sorted(line.get("attributes", [])))

    def test_demo(self):
        self.compare(stores.demo())

    def test_demo_in_another_zone(self):
        self.compare(stores.demo(), zone="Europe/Berlin")

    def test_hostile_store(self):
        """Authors, bundles, processes, contexts and tombstones that would be markup if they were not text."""
        path = os.path.join(stores.FOLDER, "hostile", "trips.store")
        os.makedirs(os.path.dirname(path))
        shutil.copyfile(stores.demo(), path)
        with contextlib.closing(sqlite3.connect(path)) as store, store:
            for key, text in enumerate(HOSTILE[:9], 1):
                store.execute("UPDATE ATRANSACTIONSTRING SET ZNAME = ? WHERE Z_PK = ?", (text, key))
            for key, text in enumerate(HOSTILE, 547):
                column = "ZTOMBSTONE1" if key == 547 else "ZTOMBSTONE0"
                store.execute(f"UPDATE ACHANGE SET {column} = ? WHERE Z_PK = ? AND {column} IS NOT NULL", (text, key))
        self.compare(path)
        self.open(stores.report("hostiletrips.store", path), "#tx=350")
        self.assertEqual(self.texts(".values[aria-label=tombstone] tr:last-child td"), [visible(HOSTILE[at]) for at in (0, 2, 3, 4, 5)])
        self.assertEqual(len(self.all("img")) + len(self.all("b b")), 0)

    def test_values(self):
        """Old and new values, as the log of an open store has them."""
        path = os.path.join(stores.FOLDER, "values", "trips.store")
        os.makedirs(os.path.dirname(path))
        shutil.copyfile(stores.demo(), path)
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as store:
            store.execute("PRAGMA journal_mode = WAL")
            store.execute("PRAGMA wal_autocheckpoint = 0")
            (entity,) = store.execute("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Trip'").fetchone()
            (key,) = store.execute("SELECT max(Z_PK) FROM ZTRIP").fetchone()
            (mask,) = store.execute("SELECT ZCOLUMNS FROM ACHANGE WHERE ZENTITY = ? AND ZCHANGETYPE = 1 ORDER BY Z_PK DESC LIMIT 1", (entity,)).fetchone()
            for text in (HOSTILE[0], HOSTILE[3], None, HOSTILE[4]):
                store.execute("BEGIN IMMEDIATE")
                store.execute("INSERT INTO ATRANSACTION (Z_PK, Z_ENT, Z_OPT, ZTIMESTAMP) SELECT max(Z_PK) + 1, 16002, 1, max(ZTIMESTAMP) + 60 FROM ATRANSACTION")
                store.execute("INSERT INTO ACHANGE (Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS) "
                              "SELECT (SELECT max(Z_PK) + 1 FROM ACHANGE), 16001, 1, 1, ?, ?, max(Z_PK), ? FROM ATRANSACTION", (entity, key, mask))
                store.execute("UPDATE ZTRIP SET ZENDDATE = ZENDDATE + 1, ZNAME = ? WHERE Z_PK = ?", (text, key))
                for name in ("CHANGE", "TRANSACTION"):
                    store.execute(f"UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM A{name}) WHERE Z_NAME = ?", (name,))
                store.execute("COMMIT")
            log = [line for line in json_lines("log", path, "-n", "4") if line["type"] == "transaction"]
            report = stores.report("values", path)
        self.assertTrue(any("values" in change for line in log for change in line["changes"]), log)
        for line in log:
            self.open(report, f"#tx={line['transaction']}")
            for change in line["changes"]:
                for attribute, values in change.get("values", {}).items():
                    shown = self.ask("[...document.querySelectorAll('.values[aria-label=values] tr')].find((row) => row.children[0].textContent === arguments[0])?.children[1].textContent", attribute)
                    parts = [("nil" if value is None else visible(value)) for value in (values[side] for side in ("old", "new") if side in values)]
                    unchanged = len(parts) == 2 and parts[0] == parts[1]
                    self.assertEqual(shown, f"{parts[0]} (set, unchanged)" if unchanged else "\u2192".join(parts))
        self.assertIn("log", self.text(".inspect .aside"))
        self.picture("values")

    def test_overview(self):
        paths = [stores.demo(), *stores.real()]
        self.open(stores.report("overview", *paths))
        rows = self.ask("[...document.querySelectorAll('.stores tbody tr')].map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent))")
        self.assertEqual(len(rows), len(paths))
        for row, path in zip(rows, paths):
            stats = json_lines("stats", path)[0]
            self.assertEqual((number(row[1]), number(row[2]), row[3]), (stats["transactions"], stats["changes"], size(stats["bytes"])))
        every = [json_lines("stats", path)[0] for path in paths]
        timed = [one["transactions"] - one.get("withoutTime", {}).get("transactions", 0) for one in every]
        self.assertEqual(sum(number(count) for count in self.texts(".timeline .legend .count")), sum(timed))
        self.picture("overview")

    def test_filters_of_the_program(self):
        path = os.path.join(stores.FOLDER, "widget.html")
        histctl("report", stores.demo(), "--author", "widget", "--title", "Widget <b>", "-o", path, "--overwrite")
        self.open(path)
        self.assertEqual(self.text("h1"), "Widget <b>")
        self.assertIn("--author widget", self.text(".made"))
        self.assertEqual(self.shown, len(json_lines("log", stores.demo(), "--author", "widget")))

    def test_bookmarks_of_the_store(self):
        path = os.path.join(stores.FOLDER, "bookmarks", "trips.store")
        os.makedirs(os.path.dirname(path))
        shutil.copyfile(stores.demo(), path)
        histctl("bookmark", "set", path, "widget", "340")
        (bookmark,) = json_lines("bookmark", "list", path)
        self.open(stores.report("bookmarks-of-store", path))
        since = bookmark["unreadSince"][:19].replace("T", " ")
        self.assertIn(f"Bookmark widget:{bookmark['transactionsBehind']} transactions behind, unread since {since}", self.texts(".notice"))

    def test_redacted(self):
        path = os.path.join(stores.FOLDER, "redacted.html")
        histctl("report", stores.demo(), "--redact", "-o", path, "--overwrite")
        with open(path, encoding="utf-8") as file:
            self.assertNotIn("Company offsite", file.read())
        self.open(path, "#tx=350")
        self.assertIn("left out", self.text(".notices"))
        self.assertEqual(len(self.all(".inspect .change")), 6)

    def test_fewer_transactions(self):
        path = os.path.join(stores.FOLDER, "fewer.html")
        histctl("report", stores.demo(), "--max-transactions", "20", "-o", path, "--overwrite")
        self.open(path)
        self.assertEqual(self.shown, 20)
        self.assertEqual(number(self.text(".figure dd")), 302)
        self.assertIn("282", self.text(".notices"))
        self.open(path, "#tx=100")
        self.assertIn("left out", self.text(".inspect"))


def real_test(position):
    return lambda self: self.compare(stores.real()[position])


for position in range(stores.WANTED):
    setattr(Numbers, f"test_real_{position + 1}", real_test(position))
