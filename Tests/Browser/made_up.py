"""Reports with made-up histories, for what no store at hand has: ten years, 10,000 transactions, hostile text."""
import collections
import json
import random
import re

import stores

KINDS = ("insert", "update", "delete")
HOSTILE = ("</script><img src=x onerror=alert(1)>", "<b>bold</b>", "שלום עולם", "right \u202eleft", "emoji 🧳👩‍👩‍👧", "tab\there",
           "bell\u0007 escape\u001b[31m", "quotes \"'`${1}", "nul\u0000", "\u2028line", "&lt;&amp;")


def halves():
    """The page before and after its data, from a report that the program writes."""
    with open(stores.report("halves", stores.demo()), encoding="utf-8") as file:
        return re.fullmatch(r'(.*<script type="application/json" id="data">).*?(</script>.*)', file.read(), re.DOTALL).groups()


def page(report):
    """A report file, with the data escaped as the program does it."""
    text = json.dumps(report, ensure_ascii=False, separators=(",", ":"))
    text = re.sub("[<>&\u2028\u2029\u007f]", lambda found: f"\\u{ord(found.group()):04x}", text)
    before, after = halves()
    return before + text + after


def differences(numbers):
    return [number - (numbers[at - 1] if at else 0) for at, number in enumerate(numbers)]


class Interned(list):
    def index_of(self, text):
        if text is None:
            return -1
        if text not in self:
            self.append(text)
        return self.index(text)


def history(name, saves, **more):
    """A history of saves: (number, seconds, author, process, [(kind, entity, key, attributes, tombstone, values)])."""
    texts, entities, sets = Interned(), Interned(), Interned()
    ranks = collections.defaultdict(lambda: collections.defaultdict(lambda: [0] * 7))
    stacks = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
    bins, attributes, heat = collections.defaultdict(lambda: [0] * 7), collections.Counter(), [[0] * 168, [0] * 168]
    total, transactions = [0] * 7, []
    for number, seconds, author, process, changes in saves:
        hour = int(seconds // 3600)
        row = [1, len(changes)] + [sum(change[0] == kind for change in changes) for kind in KINDS] + [0, 200 + 80 * len(changes)]
        names = {"author": [author], "process": [process], "bundle": ["com.example." + process],
                 "entity": sorted({change[1] for change in changes}), "kind": sorted({change[0] for change in changes})}
        for dimension, found in names.items():
            for one in found:
                mine = [change for change in changes if dimension not in ("entity", "kind") or one in change[:2]]
                part = [1, len(mine)] + [sum(change[0] == kind for change in mine) for kind in KINDS] + [0, 80 * len(mine)]
                ranks[dimension][one] = [a + b for a, b in zip(ranks[dimension][one], part)]
                stack = stacks[dimension][hour, one]
                stack[0] += 1
                stack[1] += len(mine)
        for target in (total, bins[hour]):
            target[:] = [a + b for a, b in zip(target, row)]
        slot = (hour // 24 + 3) % 7 * 24 + hour % 24
        heat[0][slot] += 1
        heat[1][slot] += len(changes)
        listed = []
        for kind, entity, key, names, tombstone, values in changes:
            attributes.update((entity, one) for one in names)
            pairs = [[item for attribute, value in (part or {}).items() for item in (texts.index_of(attribute), value)] or None
                     for part in (tombstone, values)]
            chosen = sets.index_of(sorted(texts.index_of(one) for one in names)) if names else None
            change = [KINDS.index(kind), entities.index_of(entity), key, chosen, *pairs]
            while change[-1] is None:
                change.pop()
            listed.append(change)
        transactions.append([number, int(seconds * 1e6), texts.index_of(author), texts.index_of("com.example." + process),
                             texts.index_of(process), -1, len(changes), listed])
    hours = sorted(bins)
    made = {
        "name": name, "path": f"stores/{name}", "kind": "store", "store": "4A5273D7-9110-4D32-A6C2-B4BDF33B3B2D", "facts": [],
        "sizes": {"store": 200000, "history": total[6]}, "notices": [], "bookmarks": [], "total": total, "gaps": [], "rates": {},
        "forecast": [], "texts": texts, "entities": entities, "sets": sets, "transactions": transactions[::-1], "leftOut": [],
        "heat": {"transactions": heat[0], "changes": heat[1]},
        "bins": dict({"hours": 1, "start": differences(hours)}, **{
            one: [bins[hour][at] for hour in hours] for one, at in
            (("transactions", 0), ("inserts", 2), ("updates", 3), ("deletes", 4), ("bytes", 6))}),
        "ranks": {dimension: {"rows": sorted(([one, *row] for one, row in found.items()), key=lambda row: -row[2])[:100]}
                  for dimension, found in ranks.items()},
        "stacks": {},
    }
    made["ranks"]["attribute"] = {"rows": [[*one, count] for one, count in attributes.most_common(100)]}
    for dimension in ("author", "bundle", "process", "entity", "kind"):
        rows = made["ranks"].setdefault(dimension, {"rows": []})["rows"]
        names = [row[0] for row in rows[:8]]
        entries = collections.defaultdict(lambda: [0, 0])
        for (hour, one), (saved, changed) in stacks[dimension].items():
            entry = entries[hours.index(hour) if len(hours) < 50 else hour, names.index(one) if one in names else len(names)]
            entry[0] += saved
            entry[1] += changed
        places = {hour: at for at, hour in enumerate(hours)}
        keys = sorted(entries)
        at = [key[0] if len(hours) < 50 else places[key[0]] for key in keys]
        made["stacks"][dimension] = {
            "names": names, "others": max(0, len(rows) - 8), "bin": differences(at), "name": [key[1] for key in keys],
            "transactions": [entries[key][0] for key in keys], "changes": [entries[key][1] for key in keys]}
    if saves:
        first, last = transactions[0], transactions[-1]
        days = max(0.01, (last[1] - first[1]) / 86400e6)
        made.update(oldest={"number": first[0], "time": first[1]}, newest={"number": last[0], "time": last[1]},
                    earliest=first[1], latest=last[1], bytesPerDay=total[6] / days)
        made["rates"]["total"] = {"days": days, "transactionsPerDay": total[0] / days, "changesPerDay": total[1] / days,
                                  "bytesPerDay": total[6] / days}
        made["forecast"] = [{"size": 2 ** 20 * 8 ** step, "state": "ahead", "days": 2 ** 20 * 8 ** step / made["bytesPerDay"]} for step in range(3)]
    return dict(made, **more)


def report(*histories, title="Made-up report"):
    return {"format": "histctl-report", "version": 1, "title": title, "made": {"by": "histctl test", "at": 1795600000000000},
            "filters": [], "redacted": False, "histories": list(histories)}


def long_history(count=10000, years=10):
    """Many saves of several authors over many years, with values and tombstones."""
    chance = random.Random(7)
    begin, length = 1480000000, years * 365.25 * 86400
    times = sorted(begin + length * chance.random() ** 0.7 for _ in range(count))
    authors = ["app", "widget", "server-sync", None, "intents", "share", "watch", "migration", "import", "backup", "tests"]
    saves = []
    for number, seconds in enumerate(times, 1):
        author = authors[min(len(authors) - 1, int(chance.expovariate(0.5)))]
        changes = []
        for _ in range(1 + int(chance.expovariate(0.25))):
            kind = chance.choices(KINDS, (2, 6, 1))[0]
            entity = chance.choice(("Trip", "Stop", "Ticket", "Person", "Photo", "Note"))
            names = chance.sample(("name", "startDate", "endDate", "price", "isDone", "owner"), chance.randint(1, 3)) if kind == "update" else []
            values = {one: {"old": f"old {one} {number}", "new": f"new {one} {number} " + "x" * chance.randint(0, 20)} for one in names}
            changes.append((kind, entity, chance.randint(1, 900), names, {"name": f"gone {number}"} if kind == "delete" else None, values or None))
        saves.append((number, seconds, author, "Trips" if author != "widget" else "TripsWidget", changes))
    return history("long.store", saves)


def hostile_history():
    """Every name and value is text that must not become anything else."""
    saves = []
    for number, text in enumerate(HOSTILE, 1):
        changes = [("update", text, number, [text], None, {text: {"old": text, "new": text + "!"}}),
                   ("delete", "Trip", number, [], {text: text}, None)]
        saves.append((number, 1790000000 + number * 5000, text, text, changes))
    return history(HOSTILE[0], saves, notices=[{"kind": "x", "text": HOSTILE[0]}], facts=[[HOSTILE[0], HOSTILE[0]]])


def one_save():
    return history("one.store", [(1, 1795000000, "app", "Trips", [("insert", "Trip", 1, [], None, None)])])


def empty():
    return history("empty.store", [])
