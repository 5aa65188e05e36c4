#!/usr/bin/env python3
"""Compares the records of `histctl info --model --json` with what an independent decoder reads.

    compare_model.py ORACLE STORE RECORDS

ORACLE is the decoder, a Python program whose `read_model` and `Entity` decode a model cache; STORE is
read by them and by SQLite, RECORDS holds histctl's lines.  Prints every difference and ends with 1
where there is one.
"""
import importlib.util, json, sqlite3, sys

spec = importlib.util.spec_from_file_location("oracle", sys.argv[1])
oracle = importlib.util.module_from_spec(spec)
spec.loader.exec_module(oracle)

TYPES = {0: "undefined", 100: "Int16", 200: "Int32", 300: "Int64", 400: "Decimal", 500: "Double",
         600: "Float", 700: "String", 800: "Bool", 900: "Date", 1000: "Data", 1100: "UUID",
         1200: "URL", 1800: "transformable", 2000: "object identifier", 2100: "composite"}
RULES = ["noAction", "nullify", "cascade", "deny"]

database = sqlite3.connect(sys.argv[2])
with open(sys.argv[3], encoding="utf-8") as file:
    records = [json.loads(line) for line in file]
differences = []


def expect(what, ours, theirs):
    if ours != theirs:
        differences.append(f"{what}: {ours!r} is not {theirs!r}")


def text(value):
    return value if isinstance(value, str) and value != "$null" else None


expect("entities", [(r["number"], r["entity"]) for r in records], database.execute(
    "select Z_ENT, Z_NAME from Z_PRIMARYKEY where Z_ENT < 16001 order by Z_ENT").fetchall())
try:
    content = database.execute("select Z_CONTENT from Z_MODELCACHE").fetchone()
except sqlite3.OperationalError:
    content = None
model = oracle.read_model(content[0]) if content and content[0] else {}

for record in records:
    name = record["entity"]
    columns = database.execute("select name, type from pragma_table_info(?)", [record["table"]]).fetchall()
    if name not in model:
        expect(name, "properties" in record, False)
        expect(name, [(c["name"], c["type"]) for c in record["columns"]], columns)
        continue
    entity = oracle.Entity(model, name)
    expect(f"{name} parent", record.get("parent"), model[name]["super"])
    slots = entity.slots()
    properties = record["properties"]
    expect(f"{name} properties", sorted(p["name"] for p in properties), sorted(entity.props))
    # Every slot once, and properties in the order of their first.
    ours = {slot: p["name"] for p in properties for slot in p["slots"]}
    expect(f"{name} slots", [ours.get(i) for i in range(len(ours))], slots)
    order = [p["slots"][0] for p in properties if p["slots"]]
    expect(f"{name} order", order, sorted(order))
    tombstones = {slot: p["name"] for p in properties for slot in p.get("tombstoneSlots", [])}
    expect(f"{name} tombstones", [tombstones[i] for i in sorted(tombstones)], entity.preserved())
    expect(f"{name} tombstone", [t.split(".")[0] for t in record["tombstone"]], entity.preserved())
    for p in properties:
        what, theirs = f"{name}.{p['name']}", entity.props[p["name"]]
        expect(f"{what} tombstone", p["tombstone"], bool(p.get("tombstoneSlots")))
        expect(f"{what} transient", p["transient"], bool(theirs.get("NSIsTransient")))
        if p["kind"] == "other":
            expect(what, entity.rel(p["name"]) or entity.attr(p["name"]), False)
            continue
        expect(f"{what} optional", p["optional"], bool(theirs.get("NSIsOptional")))
        if p["kind"] == "attribute":
            flags = theirs.get("NSFlagsKey") or 0
            expect(f"{what} kind", entity.attr(p["name"]), True)
            expect(f"{what} type", p["type"], TYPES[theirs.get("NSAttributeType") or 0])
            expect(f"{what} derived", p["derived"], theirs["class"] == "NSDerivedAttributeDescription")
            expect(f"{what} external", p["externalStorage"], bool(flags & 4))
        else:
            expect(f"{what} kind", p["kind"], "toOne" if entity.to_one(p["name"]) else "toMany")
            expect(f"{what} destination", p.get("destination"), text(theirs.get("dest")))
            expect(f"{what} inverse", p.get("inverse"), text(theirs.get("_NSInverseRelationshipName")))
            expect(f"{what} ordered", p["ordered"], bool(theirs.get("NSIsOrdered")))
            rule = theirs.get("NSDeleteRule")
            expect(f"{what} rule", p["deleteRule"], RULES[1 if rule is None else rule])
        # A column is named after its property, and is in the table that is named.
        for place in [p] + p.get("elements", []):
            if "columns" in place:
                there = {row[0] for row in database.execute(
                    "select name from pragma_table_info(?)", [place["table"]])}
                expect(f"{what} columns", [c for c in place["columns"] if c not in there], [])

print("\n".join(differences))
sys.exit(1 if differences else 0)
