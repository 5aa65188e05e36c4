#!/usr/bin/env python3
"""Puts a secret into every place of a store, scrubs it, and looks for each secret in the copies.

scrub_secrets.py HISTCTL STORE FOLDER

The places are every column of every table, in every type that the column accepts, the texts of the schema, the
header of the file, free pages and the log. A secret is looked for as text, UTF-16, Base64 and hexadecimal digits,
in the bytes of the copy, in its unpacked model and in its property lists. Prints a line for each that is left.
"""

import base64
import itertools
import os
import plistlib
import shutil
import sqlite3
import struct
import subprocess
import sys
import zlib

histctl, original, folder = sys.argv[1:4]
NUMBERS = {"integer": 4_242_000_000_000, "real": 0.0042424242}
# Integers stay in columns of keys and numbers of the frameworks, and in relationships of the sample's model.
KNOWN_NUMBERS = {
    "Z_PK", "Z_ENT", "Z_OPT", "Z_MAX", "Z_SUPER", "Z_VERSION", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCHANGETYPE",
    "ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS", "ZTRIP", "ZLIVINGACCOMMODATION"}
problems = []


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def forms(secret):
    raw = secret.encode()
    yield raw
    yield secret.encode("utf-16-be")
    yield secret.encode("utf-16-le")
    yield raw.hex().encode()
    yield raw.hex().upper().encode()
    for shift in range(3):
        # The letters that depend on the secret alone, wherever it begins.
        yield base64.b64encode(bytes(shift) + raw)[(shift * 8 + 5) // 6:len(raw) * 8 // 6]


def texts(value):
    if isinstance(value, dict):
        for key, member in value.items():
            yield from texts(key)
            yield from texts(member)
    elif isinstance(value, (list, tuple)):
        for member in value:
            yield from texts(member)
    elif isinstance(value, str):
        yield value.encode()
    elif isinstance(value, bytes):
        yield value


def content(path):
    """The bytes of a copy and what is packed in it."""
    found = [open(path + end, "rb").read() for end in ("", "-wal") if os.path.exists(path + end)]
    copy = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    for table, in copy.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0").fetchall():
        for row in copy.execute(f"SELECT * FROM {quoted(table)}"):
            for value in row:
                if isinstance(value, bytes):
                    for unpacked in (value, inflated(value)):
                        try:
                            found += texts(plistlib.loads(unpacked))
                        except Exception:
                            found.append(unpacked)
    return b"\n".join(found)


def inflated(value):
    try:
        return zlib.decompress(value, -15)
    except zlib.error:
        return b""


def scrub(store, number):
    for names, authors in itertools.product((False, True), repeat=2):
        copy = os.path.join(folder, f"copy{number}-{names:d}{authors:d}")
        line = [histctl, "scrub", store, "-o", copy, "--yes", "--json"]
        result = subprocess.run(
            line + ["--names"] * names + ["--authors"] * authors, capture_output=True, text=True)
        if result.returncode:
            problems.append(f"scrub ended with {result.returncode}: {result.stderr}")
            continue
        yield names, authors, copy, result.stdout
        os.remove(copy)


def look(secrets, store, number):
    for names, authors, copy, report in scrub(store, number):
        text = content(copy)
        for place, secret in secrets.items():
            # Names of tables and entities, and those of savers, stay unless they are to be replaced.
            if place in ("Z_PRIMARYKEY.Z_NAME text",) and not names:
                continue
            if place.split(" ")[0] in SAVERS and place.endswith("text") and not authors:
                continue
            if any(form in text for form in forms(secret)):
                problems.append(f"{place}: {secret} is left (names replaced: {names}, authors: {authors})")
        rows = sqlite3.connect(f"file:{copy}?mode=ro", uri=True)
        for table, in rows.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0").fetchall():
            for column in [row[1] for row in rows.execute(f"PRAGMA table_info({quoted(table)})")]:
                for kind, value in NUMBERS.items():
                    is_known = column in KNOWN_NUMBERS or column.startswith(("Z_", "ZPROPERTY"))
                    if kind == "integer" and is_known:
                        continue
                    if rows.execute(
                            f"SELECT 1 FROM {quoted(table)} WHERE {quoted(column)} = ? AND typeof({quoted(column)}) = ?",
                            (value, kind)).fetchone():
                        problems.append(f"{table}.{column}: the {kind} {value} is left")
        if "UNKNOWN" in open(store, "rb").read().decode("latin-1") and "ATRANSACTION.UNKNOWN" not in report:
            problems.append("the report does not name the column that was emptied")


SAVERS = {
    "ATRANSACTIONSTRING.ZNAME", "ATRANSACTION.ZAUTHOR", "ATRANSACTION.ZBUNDLEID", "ATRANSACTION.ZPROCESSID"}


def everywhere(kind):
    """Puts secrets of one type into every column of the last row of every table, and of the first."""
    store = os.path.join(folder, f"secrets-{kind}")
    shutil.copyfile(original, store)
    rows = sqlite3.connect(store, isolation_level=None)
    rows.execute("PRAGMA writable_schema = OFF")
    if kind == "text":
        for table in ("ATRANSACTION", "ACHANGE", "Z_METADATA", "Z_MODELCACHE", "Z_PRIMARYKEY"):
            rows.execute(f"ALTER TABLE {table} ADD COLUMN UNKNOWN")
        rows.execute("CREATE TABLE OWN (a, b TEXT)")
        rows.execute("INSERT INTO OWN VALUES ('SecretOwnTableFirst', 'SecretOwnTableSecond')")
    triggers = rows.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for name, in triggers:
        rows.execute(f"DROP TRIGGER {quoted(name)}")
    secrets = {}
    for table, in rows.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0").fetchall():
        if table.startswith("sqlite_"):
            continue
        for column in [row[1] for row in rows.execute(f"PRAGMA table_info({quoted(table)})")]:
            secret = "Secret" + "".join(map(str.capitalize, (table + "_" + column).lower().split("_"))) + "Abcdefgh"
            value = secret if kind == "text" else secret.encode() if kind == "blob" else NUMBERS[kind]
            row = "(SELECT max(rowid) FROM %s)" % quoted(table)
            if (table, column) in (("Z_METADATA", "Z_PLIST"), ("Z_MODELCACHE", "Z_CONTENT")):
                # In a row of its own, so that the store stays one.
                if kind in ("text", "blob"):
                    extra = {"Z_METADATA": "Z_VERSION, Z_PLIST", "Z_MODELCACHE": "Z_CONTENT"}[table]
                    values = (99, value) if table == "Z_METADATA" else (value,)
                    rows.execute(
                        f"INSERT INTO {table} ({extra}) VALUES ({', '.join('?' * len(values))})", values)
                    secrets[f"{table}.{column} {kind}"] = secret
                continue
            try:
                rows.execute(f"UPDATE {quoted(table)} SET {quoted(column)} = ? WHERE rowid = {row}", (value,))
            except sqlite3.Error:
                continue
            secrets[f"{table}.{column} {kind}"] = secret
    rows.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    rows.close()
    look(secrets if kind in ("text", "blob") else {}, store, kind)


def elsewhere():
    """Puts secrets into the schema, the header, property lists, the model, free pages and the log."""
    store = os.path.join(folder, "elsewhere")
    shutil.copyfile(original, store)
    rows = sqlite3.connect(store, isolation_level=None)
    rows.execute(f"PRAGMA user_version = {0x53656372}")
    rows.execute(f"PRAGMA application_id = {0x65744170}")
    secrets = {"user_version and application_id": "SecretAp"}

    def secret(place):
        word = "Secret" + "".join(map(str.capitalize, place.split())) + "Abcdefgh"
        secrets[place] = word
        return word

    rows.execute("CREATE TABLE OWN (a TEXT DEFAULT '%s', b INTEGER CHECK (b <> '%s') /* %s */)" % (
        secret("default"), secret("check"), secret("comment")))
    rows.execute("CREATE TABLE OTHER (a DEFAULT 4242000000000, b DEFAULT x'%s') -- %s" % (
        secret("data").encode().hex(), secret("last comment")))
    rows.execute("CREATE INDEX OWN_INDEX ON OWN (a) WHERE a = '%s'" % secret("index"))
    rows.execute("CREATE TRIGGER OWN_TRIGGER AFTER INSERT ON OWN BEGIN UPDATE OWN SET a = '%s'; END" % secret("trigger"))
    rows.execute("CREATE VIEW OWN_VIEW AS SELECT '%s' FROM OWN" % secret("view"))
    # The accent belongs to the mark before it, for a person, and to the text for SQLite.
    rows.execute("CREATE VIEW ACCENT_VIEW AS SELECT '\u0301%s' FROM OWN" % secret("accent"))
    rows.execute("ALTER TABLE ATRANSACTION ADD COLUMN UNKNOWN DEFAULT '%s'" % secret("default of the history"))
    plist, = rows.execute("SELECT Z_PLIST FROM Z_METADATA").fetchone()
    metadata = plistlib.loads(plist)
    for key in list(metadata):
        if key in ("NSPersistenceFrameworkVersion", "NSStoreModelVersionIdentifiers", "NSStoreModelVersionHashes"):
            continue
        if isinstance(metadata[key], (str, bytes)):
            metadata[key] = secret("metadata " + key)
    metadata["NSStoreModelVersionHashes"][secret("hashes")] = secret("hash").encode()
    metadata["AppKey"] = [secret("list"), {"inner": secret("dictionary")}]
    rows.execute("UPDATE Z_METADATA SET Z_PLIST = ?", (plistlib.dumps(metadata, fmt=plistlib.FMT_BINARY),))
    rows.execute("CREATE TABLE FREED (a)")
    rows.execute("INSERT INTO FREED VALUES (?)", (secret("free pages") * 2000,))
    rows.execute("DROP TABLE FREED")
    model, = rows.execute("SELECT Z_CONTENT FROM Z_MODELCACHE").fetchone()
    rows.execute("UPDATE Z_MODELCACHE SET Z_CONTENT = ?", (model + secret("after the model").encode(),))
    rows.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    rows.execute("UPDATE ATRANSACTION SET ZCONTEXTNAME = ? WHERE Z_PK = (SELECT max(Z_PK) FROM ATRANSACTION)",
                 (secret("log"),))
    look(secrets, store, "elsewhere")
    for _, _, copy, _ in scrub(store, "header"):
        header = open(copy, "rb").read(100)
        if struct.unpack(">I", header[60:64])[0] or struct.unpack(">I", header[68:72])[0]:
            problems.append("the header has user_version or application_id")
    rows.close()


for kind in ("text", "blob", "integer", "real"):
    everywhere(kind)
elsewhere()
print("\n".join(dict.fromkeys(problems)))
sys.exit(bool(problems))
