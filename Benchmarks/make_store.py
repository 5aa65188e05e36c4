#!/usr/bin/env python3
"""Make a large store with a synthetic history, laid out as Core Data lays it out.

    make_store.py OUT [--transactions N] [--changes N] [--seed N]

The default size is one that is met in the field, in an app that never pruned. Entities, model
cache, column masks and tombstones fit each other, so that every change decodes to names; the
objects themselves are left out, because only their history is measured. Same arguments, same file.
"""
import argparse
import base64
import hashlib
import os
import plistlib
import random
import sqlite3
import struct
import sys
import uuid
import zlib

INTEGER16, INTEGER32, INTEGER64, DECIMAL, DOUBLE, FLOAT = 100, 200, 300, 400, 500, 600
STRING, BOOLEAN, DATE, DATA, UUID, URI, TRANSFORMABLE, COMPOSITE = (
    700, 800, 900, 1000, 1100, 1200, 1800, 2100)

# Attribute type -> its class in the model, its column type in the entity's table.
TYPES = {
    INTEGER16: ("NSNumber", "INTEGER"), INTEGER32: ("NSNumber", "INTEGER"),
    INTEGER64: ("NSNumber", "INTEGER"), DECIMAL: ("NSDecimalNumber", "DECIMAL"),
    DOUBLE: ("NSNumber", "FLOAT"), FLOAT: ("NSNumber", "FLOAT"), STRING: ("NSString", "VARCHAR"),
    BOOLEAN: ("NSNumber", "INTEGER"), DATE: ("NSDate", "TIMESTAMP"), DATA: ("NSData", "BLOB"),
    UUID: ("NSUUID", "BLOB"), URI: ("NSURL", "VARCHAR"), TRANSFORMABLE: ("NSArray", "BLOB"),
}
COLUMN_ORDER = ["INTEGER", "FLOAT", "TIMESTAMP", "DECIMAL", "VARCHAR", "BLOB"]
PRESERVED = 16  # the flag of "preserve after deletion"
FRAMEWORK = 1522

CHANGE, TRANSACTION, TRANSACTIONSTRING = 16001, 16002, 16003
INSERT, UPDATE, DELETE = 0, 1, 2

AUTHORS = [None, None, "app", "app", "app", "widget", "intents",
           "NSCloudKitMirroringDelegate.import", "server-sync"]
CONTEXTS = [None] * 9 + ["background-import"]
PROGRAMS = [("com.example.Trips", "Trips"), ("com.example.Trips", "Trips"),
            ("com.example.Trips.Widget", "TripsWidget")]
WORDS = ("Lisbon Kyoto Oslo Tromsø Zürich Cusco Hanoi Marrakech Reykjavík Valparaíso 札幌 "
         "harbour museum summit ferry market lighthouse").split()


class Attribute:
    def __init__(self, kind, preserved=False, elements=()):
        self.kind, self.preserved, self.elements = kind, preserved, elements


class Relationship:
    def __init__(self, destination, inverse, many=False, ordered=False, cascade=False):
        self.destination, self.inverse = destination, inverse
        self.many, self.ordered, self.cascade = many, ordered, cascade


class Entity:
    """An entity; `number` is its Z_ENT, and numbers run depth first, siblings by name."""

    def __init__(self, number, name, weight, properties, parent=None):
        self.number, self.name, self.weight, self.parent = number, name, weight, parent
        self.own = properties
        self.children = []
        if parent:
            parent.children.append(self)

    @property
    def root(self):
        return self.parent.root if self.parent else self

    @property
    def table(self):
        return "Z" + self.root.name.upper()

    def properties(self):
        """(name, property), ancestors first, each level in ordinal order."""
        inherited = self.parent.properties() if self.parent else []
        return inherited + sorted(self.own.items(), key=lambda p: p[0].encode("utf-16-be"))

    def attributes(self):
        return [p for p in self.properties() if isinstance(p[1], Attribute)]

    def relationships(self, many):
        return [(name, p) for name, p in self.properties()
                if isinstance(p, Relationship) and p.many == many]

    def preserved(self):
        return [p for p in self.attributes() if p[1].preserved]


def make_model():
    activity = Entity(1, "Activity", 40, {
        "cost": Attribute(DECIMAL), "durationInMinutes": Attribute(INTEGER32),
        "identifier": Attribute(UUID, True), "isBooked": Attribute(BOOLEAN, True),
        "notes": Attribute(STRING), "startDate": Attribute(DATE, True),
        "title": Attribute(STRING, True), "website": Attribute(URI),
        "place": Relationship("Place", "activities"),
        "trip": Relationship("Trip", "activities"),
        "tags": Relationship("Tag", "activities", many=True),
    })
    place = Entity(2, "Place", 20, {
        "altitude": Attribute(INTEGER16), "name": Attribute(STRING, True),
        "coordinate": Attribute(COMPOSITE, elements=("latitude", "longitude")),
        "isFavorite": Attribute(BOOLEAN), "photo": Attribute(DATA),
        "population": Attribute(INTEGER64, True), "rating": Attribute(FLOAT),
        "temperature": Attribute(DOUBLE), "openingHours": Attribute(TRANSFORMABLE),
        "activities": Relationship("Activity", "place", many=True),
        "trips": Relationship("Trip", "home", many=True),
    })
    tag = Entity(3, "Tag", 5, {
        "name": Attribute(STRING, True),
        "activities": Relationship("Activity", "tags", many=True),
    })
    traveler = Entity(4, "Traveler", 10, {
        "birthday": Attribute(DATE), "name": Attribute(STRING, True),
        "visits": Attribute(INTEGER32, True),
        "trips": Relationship("Trip", "travelers", many=True),
    })
    trip = Entity(5, "Trip", 15, {
        "destination": Attribute(STRING, True), "endDate": Attribute(DATE, True),
        "identifier": Attribute(UUID, True), "isArchived": Attribute(BOOLEAN, True),
        "startDate": Attribute(DATE),
        "activities": Relationship("Activity", "trip", many=True, ordered=True, cascade=True),
        "home": Relationship("Place", "trips"),
        "travelers": Relationship("Traveler", "trips", many=True),
    })
    business = Entity(6, "BusinessTrip", 10, {
        "costCenter": Attribute(STRING, True), "perDiem": Attribute(DECIMAL),
    }, parent=trip)
    return [activity, place, tag, traveler, trip, business]


class Slots:
    """The places of an entity's properties in a column mask."""

    def __init__(self, entity, named):
        ones = entity.relationships(many=False)
        groups = [
            [(name, p) for name, p in ones],
            [(name, p) for name, p in ones if named[p.destination].children],
            [(name, p) for name, p in ones if named[p.destination].own[p.inverse].ordered],
            [(name, p) for name, p in entity.attributes() for _ in range(len(p.elements) or 1)],
            # Which of the to-many relationships has which slot does not matter here.
            entity.relationships(many=True),
        ]
        slots = [slot for group in groups for slot in group]
        self.width = (len(slots) + 7) // 8
        self.of = {}
        for index, (name, _) in enumerate(slots):
            self.of.setdefault(name, []).append(index)

    def mask(self, names):
        bits = bytearray(self.width)
        for name in names:
            for slot in self.of[name]:
                bits[slot // 8] |= 0x80 >> slot % 8
        return bytes(bits)


# ---- the model cache ---------------------------------------------------------------------------


class KeyedArchive:
    """Just enough of NSKeyedArchiver: a table of objects that refer to each other by number."""

    def __init__(self):
        self.objects, self.known = ["$null"], {}

    def reserve(self):
        self.objects.append(None)
        return plistlib.UID(len(self.objects) - 1)

    def value(self, value):
        """A reference to a number, text or data, stored once; None is the null object."""
        if value is None:
            return plistlib.UID(0)
        key = (type(value), value)
        if key not in self.known:
            self.known[key] = self.reserve()
            self.objects[self.known[key].data] = value
        return self.known[key]

    def kind(self, *names):
        key = ("class", names)
        if key not in self.known:
            self.known[key] = self.reserve()
            self.objects[self.known[key].data] = {
                "$classname": names[0], "$classes": [*names, "NSObject"]}
        return self.known[key]

    def put(self, fields, *names, at=None):
        at = at or self.reserve()
        self.objects[at.data] = {**fields, "$class": self.kind(*names)}
        return at

    def array(self, references, *names):
        return self.put({"NS.objects": references}, *(names or ("NSArray",)))

    def dictionary(self, pairs, *names):
        return self.put({"NS.keys": [self.value(key) for key, _ in pairs],
                         "NS.objects": [reference for _, reference in pairs]},
                        *(names or ("NSMutableDictionary", "NSDictionary")))

    def data(self, root):
        return plistlib.dumps(
            {"$version": 100000, "$archiver": "NSKeyedArchiver", "$top": {"root": root},
             "$objects": self.objects}, fmt=plistlib.FMT_BINARY, sort_keys=False)


def archive_model(entities):
    archive = KeyedArchive()
    model = archive.reserve()
    at = {e.name: archive.reserve() for e in entities}
    # An inherited property stands in the sub-entity as a copy, as Photos and Notes have it.
    properties = {(e.name, name): archive.reserve() for e in entities for name, _ in e.properties()}

    def attribute(entity, name, kind, flags, reference=None, elements=()):
        fields = {
            "_P": 243, "NSPropertyName": archive.value(name),
            "NSRenamingIdentifier": archive.value(name), "NSEntity": at[entity.name],
            "NSIsOptional": True, "NSAttributeType": kind, "NSFlagsKey": flags,
            "NSDefaultValue": archive.value(None), "NSValueTransformerName": archive.value(
                "NSSecureUnarchiveFromData" if kind == TRANSFORMABLE else None),
            "NSAttributeValueClassName": archive.value(
                "NSDictionary" if kind == COMPOSITE else TYPES[kind][0]),
        }
        if not elements:
            return archive.put(fields, "NSAttributeDescription", "NSPropertyDescription",
                               at=reference)
        fields["NSCompositeElements"] = archive.array(
            [attribute(entity, element, DOUBLE, 0) for element in elements],
            "NSMutableArray", "NSArray")
        return archive.put(fields, "NSCompositeAttributeDescription", "NSAttributeDescription",
                           "NSPropertyDescription", at=reference)

    def relationship(entity, name, it, reference):
        fields = {
            "_P": 1267 if it.ordered else 243, "NSPropertyName": archive.value(name),
            "NSRenamingIdentifier": archive.value(name), "NSEntity": at[entity.name],
            "NSIsOptional": True, "NSMinCount": 0, "NSMaxCount": 0 if it.many else 1,
            "NSDeleteRule": 2 if it.cascade else 1, "NSDestinationEntity": at[it.destination],
            "_NSDestinationEntityName": archive.value(it.destination),
            "NSInverseRelationship": properties[it.destination, it.inverse],
            "_NSInverseRelationshipName": archive.value(it.inverse),
        }
        if it.ordered:
            fields["NSIsOrdered"] = True
        archive.put(fields, "NSRelationshipDescription", "NSPropertyDescription", at=reference)

    no_info = archive.dictionary([], "NSDictionary")
    no_tuples = archive.array([], "NSMutableArray", "NSArray")
    for entity in entities:
        for name, it in entity.properties():
            reference = properties[entity.name, name]
            if isinstance(it, Relationship):
                relationship(entity, name, it, reference)
            else:
                attribute(entity, name, it.kind, PRESERVED if it.preserved else 0, reference,
                          it.elements)
        archive.put({
            "NSEntityName": archive.value(entity.name),
            "NSClassNameForEntity": archive.value(entity.name),
            "NSRenamingIdentifier": archive.value(entity.name),
            "NSManagedObjectModel": model, "NSUserInfo": no_info, "NSUniqueTuples": no_tuples,
            "NSVersionHashModifier": archive.value(None),
            "NSSuperentity": at[entity.parent.name] if entity.parent else archive.value(None),
            "NSSubentities": archive.dictionary([(c.name, at[c.name]) for c in entity.children]),
            "NSProperties": archive.dictionary(
                [(name, properties[entity.name, name]) for name, _ in entity.properties()]),
        }, "NSEntityDescription", at=at[entity.name])

    names = [e.name for e in entities]
    mapping = archive.put({
        "length": len(names), "version": 1,
        "keys": archive.array([archive.value(name) for name in names]),
    }, "NSKnownKeysMappingStrategy1", "NSKnownKeysMappingStrategy")
    known = archive.put({
        "searchMapping": mapping, "version": 1, "values": archive.array([at[n] for n in names]),
        "emptyToken": archive.value("__empty_slot_token_4c24_98dc_ac1e_b773__"),
    }, "NSKnownKeysDictionary1", "NSKnownKeysDictionary", "NSMutableDictionary", "NSDictionary")
    archive.put({
        "NSEntities": known, "NSFetchRequestTemplates": archive.value(None),
        "NSVersionIdentifiers": archive.array([archive.value("1.0.0")], "NSSet"),
        "NSConfigurations": archive.dictionary(
            [("default", archive.array([at[n] for n in names], "NSSet"))]),
    }, "NSManagedObjectModel", at=model)
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return packer.compress(archive.data(model)) + packer.flush()


def metadata(entities):
    hashes = {e.name: hashlib.sha256(e.name.encode()).digest() for e in entities}
    together = b"".join(hashes[name] for name in sorted(hashes))
    return plistlib.dumps({
        "NSStoreType": "SQLite",
        "NSPersistenceFrameworkVersion": FRAMEWORK,
        "NSPersistenceMaximumFrameworkVersion": FRAMEWORK,
        "NSStoreModelVersionHashes": hashes,
        "NSStoreModelVersionHashesVersion": 3,
        "NSStoreModelVersionHashesDigest": base64.b64encode(
            hashlib.sha512(together).digest()).decode(),
        "NSStoreModelVersionChecksumKey": base64.b64encode(
            hashlib.sha256(together).digest()).decode(),
        "NSStoreModelVersionIdentifiers": ["1.0.0"],
        "_NSAutoVacuumLevel": "2",
    }, fmt=plistlib.FMT_BINARY)


# ---- the tables --------------------------------------------------------------------------------


def create_entity_tables(db, entities, named):
    for root in (e for e in entities if not e.parent):
        family = [e for e in entities if e.root is root]
        columns, keys = {kind: [] for kind in COLUMN_ORDER}, []
        for entity in family:
            for name, it in sorted(entity.own.items()):
                if isinstance(it, Attribute):
                    for leaf in it.elements or [name]:
                        columns[TYPES[DOUBLE if it.elements else it.kind][1]].append(
                            "Z" + leaf.upper())
                elif not it.many:
                    keys.append("Z" + name.upper())
                    if named[it.destination].children:
                        keys.append(f"Z{named[it.destination].number}_{name.upper()}")
                    if named[it.destination].own[it.inverse].ordered:
                        keys.append("Z_FOK_" + name.upper())
        columns["INTEGER"] += keys
        text = "".join(f", {c} {kind}" for kind in COLUMN_ORDER for c in columns[kind])
        db.execute(f"CREATE TABLE {root.table} ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, "
                   f"Z_OPT INTEGER{text} )")
    for entity in entities:
        for name, it in entity.relationships(many=True):
            other = named[it.destination]
            if other.own[it.inverse].many and (entity.number, name) < (other.number, it.inverse):
                here, there = f"Z_{entity.number}{it.inverse}", f"Z_{other.number}{name}"
                table, here, there = f"Z_{entity.number}{name}".upper(), here.upper(), there.upper()
                db.execute(f"CREATE TABLE {table} ( {here} INTEGER, {there} INTEGER, "
                           f"PRIMARY KEY ({here}, {there}) )")
                db.execute(f"CREATE INDEX {table}_{there}_INDEX ON {table} ({there}, {here})")
        for name, it in entity.relationships(many=False):
            if name in entity.own:
                column = "Z" + name.upper()
                db.execute(f"CREATE INDEX {entity.table}_{column}_INDEX "
                           f"ON {entity.table} ({column})")
        if entity.children:
            db.execute(f"CREATE INDEX {entity.table}_Z_ENT_INDEX ON {entity.table} (Z_ENT)")


def create_history_tables(db, stones):
    kept = "".join(f", ZTOMBSTONE{n} BLOB" for n in range(stones))
    for statement in (
        "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, "
        "Z_MAX INTEGER)",
        "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), "
        "Z_PLIST BLOB)",
        "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
        "CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
        "ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, "
        f"ZCOLUMNS BLOB{kept} )",
        "CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
        "ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, "
        "ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, "
        "ZPROCESSID VARCHAR, ZQUERYGEN BLOB )",
        "CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, "
        "Z_OPT INTEGER, ZNAME VARCHAR )",
        "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
        *(f"CREATE INDEX ATRANSACTION_{column}_INDEX ON ATRANSACTION ({column})"
          for column in ("ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS")),
        "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION "
        "(ZAUTHOR COLLATE BINARY ASC)",
        "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION "
        "(ZTIMESTAMP COLLATE BINARY ASC)",
        "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING "
        "(ZNAME COLLATE BINARY ASC)",
    ):
        db.execute(statement)


# ---- the history -------------------------------------------------------------------------------


class History:
    """Makes the rows: mostly saves of a few objects, sometimes of a thousand, sometimes of none."""

    BATCH = 500  # transactions written together, so that the tables' pages interleave as in life

    def __init__(self, entities, seed, transactions, changes, stones):
        self.random = random.Random(seed)
        self.entities, self.stones = entities, stones
        self.transactions, self.changes = transactions, changes
        named = {e.name: e for e in entities}
        self.masks = {e.name: self.some_masks(e, Slots(e, named)) for e in entities}
        self.kept = {e.name: [p.kind for _, p in e.preserved()] for e in entities}
        self.choice = [e for e in entities for _ in range(e.weight)]
        self.alive = {e.root.name: [] for e in entities}
        self.highest = {e.root.name: 0 for e in entities}
        names = sorted({a for a in AUTHORS if a} | {c for c in CONTEXTS if c}
                       | {name for program in PROGRAMS for name in program})
        self.strings = {name: number for number, name in enumerate(names, 1)}

    def some_masks(self, entity, slots):
        """64 plausible sets of dirty properties: one to four, the same few most of the time."""
        names = [name for name, _ in entity.properties()]
        often = self.random.sample(names, min(len(names), 5))
        masks = []
        for _ in range(64):
            pool = often if self.random.random() < 0.7 else names
            count = min(len(pool), self.random.choice((1, 1, 1, 2, 2, 3, 4)))
            masks.append(slots.mask(self.random.sample(pool, count)))
        return masks

    def sizes(self):
        """Changes per transaction, exponentially spread with a few imports, adding up exactly."""
        weights = [self.random.expovariate(1) * (60 if self.random.random() < 0.001 else 1)
                   for _ in range(self.transactions)]
        total, running, before = sum(weights), 0.0, 0
        for number, weight in enumerate(weights, 1):
            running += weight
            upto = self.changes if number == self.transactions else int(
                self.changes * running / total)
            yield upto - before
            before = upto

    def batches(self):
        """Rows of ATRANSACTION and ACHANGE, in turn."""
        time, change = 760_000_000.0, 0
        transaction_rows, change_rows = [], []
        for number, size in enumerate(self.sizes(), 1):
            time += self.random.expovariate(1 / 360)
            transaction_rows.append(self.transaction(number, round(time, 6)))
            touched = set()
            for _ in range(size):
                change += 1
                change_rows.append(self.change(change, number, time, touched))
            if number % self.BATCH == 0 or number == self.transactions:
                yield transaction_rows, change_rows
                transaction_rows, change_rows = [], []

    def transaction(self, number, time):
        bundle, process = self.random.choice(PROGRAMS)
        author, context = self.random.choice(AUTHORS), self.random.choice(CONTEXTS)
        generation = None
        if self.random.random() < 0.02:
            # The header of a write-ahead log's index: version, change counter, page size, …
            generation = struct.pack("<IIIBBH", 3_007_000, 0, number, 1, 0, 4096)
            generation += self.random.randbytes(32)
        return (number, TRANSACTION, None, self.strings.get(author), self.strings[bundle],
                self.strings.get(context), self.strings[process], time, None, None, None, None,
                generation)

    def change(self, pk, transaction, time, touched):
        entity = self.random.choice(self.choice)
        root = entity.root.name
        alive, draw = self.alive[root], self.random.random()
        if draw >= 0.45 and alive:
            index = self.random.randrange(len(alive))
            leaf, key = alive[index]
            if (root, key) not in touched:  # one change for each object and transaction
                touched.add((root, key))
                if draw < 0.85:
                    mask = self.masks[leaf.name][self.random.getrandbits(6)]
                    return self.row(pk, UPDATE, leaf, key, transaction, mask)
                alive[index] = alive[-1]
                alive.pop()
                kept = [self.stone(kind, key, time, may_be_nil=place > 0)
                        for place, kind in enumerate(self.kept[leaf.name])]
                return self.row(pk, DELETE, leaf, key, transaction, None, kept)
        self.highest[root] = key = self.highest[root] + 1
        alive.append((entity, key))
        touched.add((root, key))
        return self.row(pk, INSERT, entity, key, transaction, None)

    def row(self, pk, kind, entity, key, transaction, mask, kept=()):
        return (pk, CHANGE, None, kind, entity.number, key, transaction, mask, *kept,
                *(None,) * (self.stones - len(kept)))

    def stone(self, kind, key, time, may_be_nil):
        if may_be_nil and self.random.random() < 0.05:
            return None
        if kind == STRING:
            return f"{self.random.choice(WORDS)} {key}"
        if kind == UUID:
            return self.random.randbytes(16)
        if kind == DATE:
            return round(time - self.random.random() * 1e7, 3)
        if kind == BOOLEAN:
            return key & 1
        return key * 7


def make_store(path, transactions, changes, seed):
    entities = make_model()
    named = {e.name: e for e in entities}
    stones = max(len(e.preserved()) for e in entities)
    history = History(entities, seed, transactions, changes, stones)
    identifier = str(uuid.UUID(int=random.Random(seed).getrandbits(128), version=4)).upper()
    for tail in ("", "-wal", "-shm", "-journal"):
        if os.path.exists(path + tail):
            os.remove(path + tail)
    db = sqlite3.connect(path, isolation_level=None)
    for setting in ("page_size=4096", "auto_vacuum=incremental", "synchronous=off",
                    "journal_mode=off"):
        db.execute("pragma " + setting)
    db.execute("begin")
    create_entity_tables(db, entities, named)
    create_history_tables(db, stones)
    db.execute("insert into Z_METADATA values (1, ?, ?)", (identifier, metadata(entities)))
    db.execute("insert into Z_MODELCACHE values (?)", (archive_model(entities),))
    db.executemany("insert into ATRANSACTIONSTRING values (?, ?, null, ?)",
                   [(n, TRANSACTIONSTRING, name) for name, n in history.strings.items()])
    for transaction_rows, change_rows in history.batches():
        db.executemany(f"insert into ATRANSACTION values ({','.join('?' * 13)})", transaction_rows)
        db.executemany(f"insert into ACHANGE values ({','.join('?' * (8 + stones))})", change_rows)
    # Only the root of a hierarchy counts its keys.
    db.executemany("insert into Z_PRIMARYKEY values (?, ?, ?, ?)", [
        *((e.number, e.name, e.parent.number if e.parent else 0,
           0 if e.parent else history.highest[e.name]) for e in entities),
        (CHANGE, "CHANGE", 0, changes), (TRANSACTION, "TRANSACTION", 0, transactions),
        (TRANSACTIONSTRING, "TRANSACTIONSTRING", 0, len(history.strings))])
    db.execute("commit")
    db.execute("pragma journal_mode=wal")
    db.close()


def main():
    parser = argparse.ArgumentParser(description="Make a large store with a synthetic history.")
    parser.add_argument("out", help="the file to write; an existing one is replaced")
    parser.add_argument("--transactions", type=int, default=175_539)
    parser.add_argument("--changes", type=int, default=1_680_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.transactions < 1 or options.changes < 0:
        parser.error("at least one transaction, and not fewer than no changes")
    make_store(options.out, options.transactions, options.changes, options.seed)
    print(f"{options.out}: {options.transactions} transactions, {options.changes} changes, "
          f"{os.path.getsize(options.out)} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
