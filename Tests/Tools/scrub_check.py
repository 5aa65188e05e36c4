#!/usr/bin/env python3
"""Compares a store with two scrubbed copies of it that different keys made.

scrub_check.py ORIGINAL COPY OTHER-COPY [HISTORY HISTORY-OF-COPY]…

Prints a line for each difference that must not be. A text or data of the original counts as left over
if both copies contain it: in one of them, short ones occur by chance. The second has no authors, bundles
and processes of the original either.

With histories, pairs of the JSON lines of the original and the first copy, the copies have neutral names. Which
name replaces which follows from the order of tables, columns, entities and properties alone.
"""

import functools
import itertools
import json
import os
import plistlib
import re
import sqlite3
import sys
import zlib

original_path, *copy_paths = sys.argv[1:4]
histories = sys.argv[4:]
has_neutral_names = bool(histories)
problems = []


def open_store(path):
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    connection.text_factory = bytes
    return connection


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


@functools.cache
def tables(store):
    rows = store.execute("SELECT name, rootpage FROM sqlite_master WHERE type = 'table'").fetchall()
    # A copy with neutral names has no search indexes.
    left_out = tuple(name + b"_" for name, root in rows if has_neutral_names and not root)
    return [
        name.decode() for name, root in rows
        if root and not name.startswith(b"sqlite_") and not name.startswith(left_out)]


@functools.cache
def columns(store, table):
    return [row[1].decode() for row in store.execute(f"PRAGMA table_info({quoted(table)})")]


original = open_store(original_path)
copies = [open_store(path) for path in copy_paths]
new_tables = {
    copy: dict(zip(tables(original), tables(copy))) if has_neutral_names
    else {table: table for table in tables(original)}
    for copy in copies
}


def table_shape(store, table):
    """The columns of a table without their names, and its indexes with the places of their columns."""
    types = [(row[2], row[3], row[5]) for row in store.execute(f"PRAGMA table_info({quoted(table)})")]
    indexes = [
        (*row[2:], [(column[1], *column[3:]) for column in store.execute(
            f"PRAGMA index_xinfo({quoted(row[1].decode())})") if column[5]])
        for row in store.execute(f"PRAGMA index_list({quoted(table)})")]
    # A copy with neutral names has no indexes with a condition or of an expression.
    return types, sorted(repr(index) for index in indexes
                         if not index[2] and all(place >= 0 for place, *_ in index[3]))


def columns_of_copy(copy, table, names):
    """The columns of a copy that stand where those of the original do."""
    places = columns(original, table)
    found = columns(copy, new_tables[copy][table])
    if len(found) != len(places):
        problems.append(f"{table} has other columns: {found}")
        return names
    return [found[places.index(name)] for name in names]


# What the copy may contain: the schema, and the model with all its names.
allowed = b"\n".join(
    b" ".join(part for part in row if part)
    for row in original.execute("SELECT name, sql FROM sqlite_master"))
model_tables = ["Z_MODELCACHE", "Z_PRIMARYKEY"]
for table in model_tables:
    if table not in tables(original):
        continue
    for row in original.execute(f"SELECT * FROM {table}"):
        for value in row:
            if isinstance(value, bytes):
                allowed += b"\n" + value
                try:
                    allowed += b"\n" + zlib.decompress(value, -15)
                except zlib.error:
                    pass
# Property lists may keep texts as UTF-16.
allowed += b"\n" + allowed.decode("utf-16-be", "ignore").encode()
history = {"ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"}
shadows = [
    name.decode() + "_"
    for name, root in original.execute("SELECT name, rootpage FROM sqlite_master WHERE type = 'table'")
    if not root
]
understood = [
    table for table in tables(original)
    if table in history or table in ("Z_METADATA", *model_tables)
    or not any(table.startswith(shadow) for shadow in shadows)
]


class Searched:
    """Bytes in which thousands of values are looked for, and few are found."""

    def __init__(self, text):
        self.text = text
        self.words = set(memoryview(text)[:len(text) // 4 * 4].cast("I"))

    def may_have(self, value):
        """Whether the words of a value are there, from one of its first four bytes on."""
        return any(
            all(word in self.words for word in memoryview(value)[start:start + count].cast("I"))
            for start in range(4)
            for count in [max(0, min(len(value) - start, 32)) // 4 * 4])

    def __contains__(self, value):
        return self.may_have(value) and value in self.text

    def places(self, value):
        """Where a value begins."""
        places = []
        place = self.text.find(value) if self.may_have(value) else -1
        while place >= 0:
            places.append(place)
            place = self.text.find(value, place + len(value))
        return places


def content(path):
    # All files of the copy, and what it has beside it.
    parts = []
    folder = os.path.dirname(path)
    for name in os.listdir(folder):
        if name.startswith(os.path.basename(path)) or name.startswith("." + os.path.basename(path)):
            with open(os.path.join(folder, name), "rb") as file:
                parts.append(file.read())
    return b"\n".join(parts)


contents = [Searched(content(path)) for path in copy_paths]


def is_left_over(value, kind):
    if kind == "text":
        if len(value.decode("utf-8", "replace")) < 6 or not value.strip():
            return False
    elif len(value) < 8:
        return False
    if all(value in text for text in contents):
        # Data of equal bytes only, such as zeros, says nothing.
        return value not in allowed and len(set(value)) > 2
    return False


# What neutral names are made of, and the words of SQLite and the frameworks, which stay.
KNOWN_WORDS = """
Entity Property Column Table Index Class Version
CREATE TABLE INDEX UNIQUE INTEGER PRIMARY KEY VARCHAR FLOAT BLOB TIMESTAMP DECIMAL TEXT COLLATE DESC WITHOUT ROWID
NOT NULL SwiftDataIndexOnBinary byIndex REFLEXIVE
Z_PK Z_ENT Z_OPT Z_FOK_ Z_NAME Z_SUPER Z_MAX Z_PRIMARYKEY Z_METADATA Z_MODELCACHE Z_VERSION Z_UUID Z_PLIST Z_CONTENT
sqlite_autoindex sqlite_master sqlite_sequence
NSKeyedArchiver archiver objects version top root class classname classes NS.keys NS.objects NS.string NS.time NS.data
NS.uuidbytes NSManagedObjectModel NSEntities NSVersionIdentifiers NSEntityDescription NSEntityName NSSuperentity
NSSubentities NSIsAbstract NSProperties NSUniqueTuples NSRenamingIdentifier NSPropertyDescriptionProxy
NSPropertyDescription NSAttributeDescription NSDerivedAttributeDescription NSCompositeAttributeDescription
NSRelationshipDescription NSFetchedPropertyDescription NSPropertyName NSAttributeType NSIsOptional NSIsTransient
NSFlagsKey NSAttributeValueClassName NSDefaultValue NSVersionHashModifier NSValueTransformerName NSCompositeElements
NSMinCount NSMaxCount NSDeleteRule NSIsOrdered NSDestinationEntityName NSInverseRelationshipName NSUserInfo
NSArray NSMutableArray NSSet NSDictionary NSMutableDictionary NSObject NSString NSNumber NSDecimalNumber NSDate NSData
NSUUID NSURL NSAttributedString NSOrderedSet Array Set Dictionary Optional String Double Float Bool Data Date Int UUID
NSSecureUnarchiveFromData NSKeyedUnarchiveFromData NSUnarchiveFromData TransformerName
NSStoreType SQLite NSStoreUUID NSPersistenceFrameworkVersion NSPersistenceMaximumFrameworkVersion
NSStoreModelVersionHashes NSStoreModelVersionHashesVersion NSStoreModelVersionHashesDigest
NSStoreModelVersionIdentifiers NSStoreModelVersionChecksumKey NSAutoVacuumLevel migrationManagerClass
NSSQLiteInPlaceMigrationManager NSStoreAncillaryModelVersionHashesMetadataKey NSPersistentHistoryTrackingKey
ACHANGE ATRANSACTION ATRANSACTIONSTRING CHANGE TRANSACTION TRANSACTIONSTRING ZCHANGETYPE ZENTITY ZENTITYPK
ZTRANSACTIONID ZCOLUMNS ZTOMBSTONE ZAUTHORTS ZBUNDLEIDTS ZCONTEXTNAMETS ZPROCESSIDTS ZTIMESTAMP ZAUTHOR ZBUNDLEID
ZCONTEXTNAME ZPROCESSID ZQUERYGEN ZNAME TransactionAuthorIndex TransactionTimestampIndex UNIQUE_NAME
com.apple.coredata.schemamigrator: lightweight migration from model with digest NSCloudKitMirroringDelegate
NSPersistentHistoryTokenDictionary PFCloudKitMetadata SQLite format 3 Z_1 Z_RT_ Z_DA_ ZT_
""".lower()


def model(store):
    """The entities of a store's model: for each the name of its super-entity and its own properties."""
    table = "SELECT Z_CONTENT FROM Z_MODELCACHE"
    if "Z_MODELCACHE" not in tables(store) or not (row := store.execute(table).fetchone()) or not row[0]:
        return None
    archive = plistlib.loads(zlib.decompress(row[0], -15))
    objects = archive["$objects"]

    def follow(value):
        found = objects[value.data] if isinstance(value, plistlib.UID) else value
        return None if found == "$null" else found

    def pairs(value):
        found = follow(value) or {}
        if "searchMapping" in found:
            keys = follow(follow(found["searchMapping"])["keys"])["NS.objects"]
            values = follow(found["values"])["NS.objects"]
        else:
            keys, values = found.get("NS.keys", []), found.get("NS.objects", [])
        return {follow(key): follow(value) for key, value in zip(keys, values)}

    def elements(value):
        return [follow(element) for element in (follow(value) or {}).get("NS.objects", [])]

    def attribute(value):
        return (
            follow(value["NSAttributeType"]), bool(follow(value.get("NSIsTransient"))),
            bool(follow(value.get("NSIsOptional"))), (follow(value.get("NSFlagsKey")) or 0) & 20,
            [(element["NSPropertyName"], attribute(element)) for element in map(
                lambda element: {**element, "NSPropertyName": follow(element["NSPropertyName"])},
                elements(value.get("NSCompositeElements")))])

    def kind(value):
        name = follow(value["$class"])["$classname"]
        if "Relationship" in name:
            return ("relationship", follow(value.get("_NSDestinationEntityName")),
                    follow(value.get("_NSInverseRelationshipName")), follow(value.get("NSMaxCount")) == 1,
                    bool(follow(value.get("NSIsOrdered"))), follow(value.get("NSDeleteRule")),
                    bool(follow(value.get("NSIsTransient"))))
        if "Attribute" in name:
            return (name == "NSDerivedAttributeDescription", *attribute(value))
        return "other"

    raw = pairs(follow(archive["$top"]["root"])["NSEntities"])
    parents = {
        name: follow((follow(entity.get("NSSuperentity")) or {}).get("NSEntityName")) for name, entity in raw.items()}
    entities = {}
    for name, entity in raw.items():
        properties = pairs(entity["NSProperties"])
        ancestor = parents[name]
        while ancestor:
            for inherited in pairs(raw[ancestor]["NSProperties"]):
                properties.pop(inherited, None)
            ancestor = parents[ancestor]
        entities[name] = (
            parents[name], bool(follow(entity.get("NSIsAbstract"))),
            {property: kind(value) for property, value in properties.items()})
    return entities


def units(name):
    return name.encode("utf-16-be")


models = [model(store) for store in (original, *copies)] if has_neutral_names else [None]
new_entities, new_properties = {}, {}
case_columns = set()


def learn(names, old, new, what):
    if names.setdefault(old, new) != new:
        problems.append(f"{what} {old} became {names[old]} and {new}")


def read_names():
    """Learns the names of entities by their numbers, and those of properties by their order."""
    query = "SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT < 16001 ORDER BY Z_ENT"
    for copy in copies:
        for (number, old), (new_number, new) in zip(original.execute(query), copy.execute(query)):
            learn(new_entities, old.decode(), new.decode(), "entity")
            if number != new_number:
                problems.append(f"entity {old} has another number")
    for copy_model in models[1:]:
        if (models[0] is None) != (copy_model is None):
            problems.append("one of the stores has no model")
        for name, (parent, is_abstract, properties) in (models[0] or {}).items():
            new_parent, is_new_abstract, new = (copy_model or {}).get(new_entities[name], (None, None, {}))
            if len(new) != len(properties) or new_parent != (parent and new_entities[parent]) \
                    or is_abstract != is_new_abstract:
                problems.append(f"entity {name} is another one")
                continue
            for old_property, new_property in zip(sorted(properties, key=units), sorted(new, key=units)):
                learn(new_properties, old_property, new_property, "property")
                learn_elements(properties[old_property], new[new_property])
        for name, (_, _, properties) in (models[0] or {}).items():
            new = (copy_model or {}).get(new_entities[name], (None, None, {}))[2]
            for property, kind in properties.items():
                if renamed(kind) != new.get(new_properties.get(property)):
                    problems.append(f"{name}.{property}: {renamed(kind)} became {new.get(new_properties.get(property))}")
    for names, order in ((new_entities, lambda name: (units(name.lower()), units(name))), (new_properties, units)):
        in_order = sorted(names, key=order)
        new_names = [names[name] for name in in_order]
        if new_names != sorted(new_names) or len(set(new_names)) != len(new_names):
            problems.append("the neutral names have another order, or one of them is there twice")
        for name in new_names:
            if not re.fullmatch(r"[A-Za-z][A-Za-z0-9]{3,20}", name):
                problems.append(f"{name} is no good name")


def learn_elements(old, new):
    if isinstance(old[-1], list) and isinstance(new[-1], list):
        for (old_name, old_kind), (new_name, new_kind) in zip(old[-1], new[-1]):
            learn(new_properties, old_name, new_name, "element")
            learn_elements(old_kind, new_kind)
            case_columns.add("Z" + old_name.upper())


def renamed(kind):
    if kind[0] == "relationship":
        return (kind[0], new_entities.get(kind[1]), new_properties.get(kind[2]), *kind[3:])
    if isinstance(kind[-1], list):
        return (*kind[:-1], [(new_properties.get(name), renamed(element)) for name, element in kind[-1]])
    return kind


def is_name_of_case(table, column):
    return column in case_columns


def check_names():
    """Nothing is left of the names, and the history is the same by the new ones."""
    for path, copy in zip(copy_paths, copies):
        for name, in copy.execute("SELECT name FROM sqlite_master WHERE type IN ('trigger', 'view') OR rootpage = 0"):
            problems.append(f"{path}: {name} is not left out")
    for old, path, copy in zip([original] * 2, copy_paths, copies):
        for table in tables(original):
            if not set(columns(original, table)) >= {"Z_PK"}:
                continue
            for sql in ("UPDATE {} SET Z_PK = Z_PK", "DELETE FROM {}", "INSERT INTO {} (Z_PK) VALUES (1)"):
                if compiles(original_path, sql.format(quoted(table))) and \
                        not compiles(path, sql.format(quoted(new_tables[copy][table]))):
                    problems.append(f"{table} cannot be used: {sql}")
    plists = [plistlib.loads(row[0]) if row and row[0] else {} for row in (
        store.execute("SELECT Z_PLIST FROM Z_METADATA").fetchone() for store in (original, *copies))]
    for path, plist in zip(copy_paths, plists[1:]):
        hashes, new_hashes = (
            found.get("NSStoreModelVersionHashes", {}) for found in (plists[0], plist))
        if set(new_hashes) != {new_entities[name] for name in hashes} \
                or any(len(value) != 32 or value in hashes.values() for value in new_hashes.values()):
            problems.append(f"{path}: the hashes of the model are {new_hashes}")
        for key, value in plist.items():
            if key not in plists[0]:
                # A replaced key of the app may begin like one of the frameworks by chance.
                continue
            if key.startswith(("NS", "_NS", "migrationManagerClass")):
                if type(value) is not type(plists[0][key]):
                    problems.append(f"{path}: {key} is {value!r}")
            else:
                problems.append(f"{path}: the key {key} is left over")
    texts = []
    for path, copy in zip(copy_paths, copies):
        text = content(path)
        if "Z_MODELCACHE" in tables(copy):
            for value, in copy.execute("SELECT Z_CONTENT FROM Z_MODELCACHE WHERE Z_CONTENT IS NOT NULL"):
                text += zlib.decompress(value, -15)
        texts.append(Searched(text.lower()))
    for name in {*new_entities, *new_properties}:
        if len(name) < 4 or name.lower() in KNOWN_WORDS:
            continue
        for encoded in (name.lower().encode(), units(name.lower())):
            if places(encoded, texts[0]) and (found := places(encoded, texts[1])):
                at = found[0]
                problems.append(f"the name {name} is left over: {texts[1].text[max(0, at - 30):at + 40]!r}")
    for pair in zip(histories[::2], histories[1::2]):
        for old_line, new_line in itertools.zip_longest(*(open(path) for path in pair)):
            if old_line is None or new_line is None:
                problems.append("one history is longer")
                break
            old, new = json.loads(old_line), json.loads(new_line)
            if old.get("type", "transaction") != "transaction":
                continue
            if history_line(old, lambda name: new_entities.get(name, name), new_path) != \
                    history_line(new, lambda name: name, lambda name: name):
                problems.append(f"transaction {old['transaction']}: {old_line[:400]} became {new_line[:400]}")


def places(name, text):
    """Where a name stands. Any byte may stand before the kind of an object in the schema, as in "kindex", and a binary
    property list begins each longer text with the bytes 5F 10, so that NSAttributeDescription before one ends like
    "description_"."""
    return [
        start for start in text.places(name)
        if not text.text.startswith((b"index", b"table", b"trigger", b"view"), start + 1)
        and not (name.endswith(b"_") and text.text.startswith(b"\x10", start + len(name))
                 and text.text[max(0, start - 1):start].isalpha())]


def without_digest(author):
    return author and re.sub(r"with digest {[^}]*}", "with digest", author)


def new_path(path):
    return ".".join(new_properties.get(name, "?" + name) for name in path.split("."))


def history_line(line, entity, path):
    return (
        line["transaction"], without_digest(line.get("author")), line.get("bundle"), line.get("process"),
        [(change["change"], change["kind"], entity(change.get("entity")), change.get("entityRaw"), change["pk"],
          sorted(map(path, change.get("attributes") or [])), len(change.get("columnsRaw", "")),
          bin(int(change.get("columnsRaw", "") or "0", 16)).count("1"),
          {path(name): type(value).__name__ for name, value in (change.get("tombstone") or {}).items()},
          [type(value).__name__ for value in change.get("tombstoneRaw", [])])
         for change in line["changes"]])


def compiles(path, sql):
    store = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    for name in ("NSCoreDataTriggerUpdateAffectedObjectValue", "NSCoreDataDATriggerUpdatedAffectedObjectValue",
                 "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue"):
        store.create_function(name, -1, lambda *_: None)
    try:
        store.execute("EXPLAIN " + sql)
        return True
    except sqlite3.Error:
        return False
    finally:
        store.close()


if has_neutral_names:
    read_names()
    allowed = KNOWN_WORDS.encode()

left_over = 0
for table in understood:
    if table in ("Z_METADATA", *model_tables, "ATRANSACTIONSTRING"):
        continue
    names = columns(original, table)
    if table == "ATRANSACTION":
        names = [name for name in names if name == "ZQUERYGEN"]
    if table == "ACHANGE":
        names = [name for name in names if name.startswith("ZTOMBSTONE")]
    for name in names:
        query = (
            f"SELECT DISTINCT {quoted(name)}, typeof({quoted(name)}) FROM {quoted(table)} "
            f"WHERE typeof({quoted(name)}) IN ('text', 'blob')")
        for value, kind in original.execute(query):
            if is_left_over(value, kind.decode()):
                left_over += 1
                problems.append(f"{table}.{name}: {value[:60]!r} is left over")

dates = {}
for copy, path in zip(copies, copy_paths):
    label = os.path.basename(path)
    if copy.execute("PRAGMA freelist_count").fetchone()[0]:
        problems.append(f"{label}: there are free pages")
    for pragma in ("page_size", "auto_vacuum", "encoding"):
        if copy.execute(f"PRAGMA {pragma}").fetchone() != original.execute(f"PRAGMA {pragma}").fetchone():
            problems.append(f"{label}: {pragma} differs")
    schemas = [
        sorted(
            (kind, name, table, sql or b"")
            for kind, name, table, sql in store.execute("SELECT type, name, tbl_name, sql FROM sqlite_master")
            if not name.startswith(b"sqlite_stat"))
        for store in (original, copy)
    ]
    if has_neutral_names:
        # Tables and indexes by the places of their columns.
        schemas = [
            [(table_shape(original, table), table_shape(original, table)) if store is original
             else (table_shape(original, table), table_shape(store, new_tables[copy][table]))
             for table in tables(original)]
            for store in (original, copy)]
    if schemas[0] != schemas[1]:
        problems.append(f"{label}: the schema differs")
    try:
        checks = copy.execute("PRAGMA integrity_check").fetchall()
        if checks != [(b"ok",)]:
            problems.append(f"{label}: integrity_check: {checks[:3]}")
    except sqlite3.DatabaseError as error:
        problems.append(f"{label}: integrity_check: {error}")
    for table in understood:
        for name in columns(original, table):
            new_name, = columns_of_copy(copy, table, [name])
            before, after = (
                store.execute(
                    f"SELECT count(*), count({column}), count(DISTINCT {column}), "
                    f"coalesce(sum(typeof({column}) = 'integer'), 0), "
                    f"coalesce(sum(typeof({column}) = 'text'), 0), "
                    f"coalesce(sum(length(CAST({column} AS BLOB))) "
                    f"FILTER (WHERE typeof({column}) IN ('text', 'blob')), 0) FROM {quoted(name_of_table)}"
                ).fetchone()
                for store, name_of_table, column in (
                    (original, table, quoted(name)), (copy, new_tables[copy][table], quoted(new_name))))
            if table == "Z_METADATA" and name == "Z_PLIST":
                before, after = before[:5], after[:5]
            if has_neutral_names and after[2] != before[2] and name == "ZCOLUMNS":
                before, after = before[:2] + before[3:], after[:2] + after[3:]
            if has_neutral_names and name in ("Z_NAME", "Z_CONTENT"):
                before, after = before[:3], after[:3]
                if models[0] is None and name == "Z_CONTENT":
                    # A model that cannot be read may have any name.
                    before, after = before[:1], after[:1]
            if has_neutral_names and is_name_of_case(table, name):
                before, after = before[:5], after[:5]
            if after[0] == 0 and before[0] > 0:
                problems.append(f"{label}: {table} is empty")
                break
            if before != after:
                problems.append(f"{label}: {table}.{name}: {before} became {after}")
        # Keys and degrees are the same row by row.
        keys = [
            name for name in columns(original, table)
            if re.match(r"Z_(PK|ENT|OPT|FOK_.*|\d+.*)$|Z\d+_", name) or name == "REFLEXIVE"
        ]
        if table in history:
            keys = [
                name for name in columns(original, table)
                if not name.startswith("ZTOMBSTONE")
                and name not in ("ZTIMESTAMP", "ZNAME", "ZCONTEXTNAME", "ZQUERYGEN")
                and not (copy is copies[1] and name in ("ZAUTHOR", "ZBUNDLEID", "ZPROCESSID"))
            ]
        if has_neutral_names:
            keys = [name for name in keys if name != "ZCOLUMNS"]
            if table == "Z_PRIMARYKEY":
                keys = ["Z_ENT", "Z_SUPER", "Z_MAX"]
        if keys:
            before, after = (
                sorted(map(repr, store.execute(f"SELECT {', '.join(map(quoted, names))} FROM {quoted(name)}")))
                for store, name, names in (
                    (original, table, keys),
                    (copy, new_tables[copy][table], columns_of_copy(copy, table, keys))))
            if has_neutral_names and table in history:
                # The digest of a model in the name of an author is replaced, but not its length.
                before, after = ([without_digest(row) for row in rows] for rows in (before, after))
            if before != after:
                problems.append(f"{label}: keys in {table} differ")
    if "ATRANSACTION" in tables(original):
        query = "SELECT ZTIMESTAMP FROM ATRANSACTION ORDER BY Z_PK"
        pairs = zip(original.execute(query), copy.execute(query))
        offsets = {round(after - before, 5) for (before,), (after,) in pairs if before is not None}
        if len(offsets) > 1:
            problems.append(f"{label}: times are shifted by {sorted(offsets)[:3]}")

if has_neutral_names:
    check_names()

for problem in problems[:40]:
    print(problem)
sys.exit(1 if problems else 0)
