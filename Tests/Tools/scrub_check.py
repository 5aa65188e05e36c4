#!/usr/bin/env python3
"""Compares a store with two scrubbed copies of it that different keys made.

scrub_check.py ORIGINAL COPY OTHER-COPY

Prints a line for each difference that must not be. A text or data of the original counts as left over
if both copies contain it: in one of them, short ones occur by chance. The second has no authors, bundles
and processes of the original either.
"""

import os
import re
import sqlite3
import sys
import zlib

original_path, *copy_paths = sys.argv[1:]
problems = []


def open_store(path):
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    connection.text_factory = bytes
    return connection


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def tables(store):
    rows = store.execute("SELECT name, rootpage FROM sqlite_master WHERE type = 'table'")
    return [name.decode() for name, root in rows if root and not name.startswith(b"sqlite_")]


def columns(store, table):
    return [row[1].decode() for row in store.execute(f"PRAGMA table_info({quoted(table)})")]


original = open_store(original_path)
copies = [open_store(path) for path in copy_paths]

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


def content(path):
    # All files of the copy, and what it has beside it.
    parts = []
    folder = os.path.dirname(path)
    for name in os.listdir(folder):
        if name.startswith(os.path.basename(path)) or name.startswith("." + os.path.basename(path)):
            with open(os.path.join(folder, name), "rb") as file:
                parts.append(file.read())
    return b"\n".join(parts)


contents = [content(path) for path in copy_paths]


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


left_over = 0
for table in understood:
    if table in ("Z_METADATA", *model_tables, "ATRANSACTION", "ATRANSACTIONSTRING"):
        continue
    names = columns(original, table)
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
    for pragma in ("page_size", "auto_vacuum", "encoding", "user_version", "application_id"):
        if copy.execute(f"PRAGMA {pragma}").fetchone() != original.execute(f"PRAGMA {pragma}").fetchone():
            problems.append(f"{label}: {pragma} differs")
    schemas = [
        sorted(
            (kind, name, table, sql or b"")
            for kind, name, table, sql in store.execute("SELECT type, name, tbl_name, sql FROM sqlite_master")
            if not name.startswith(b"sqlite_stat"))
        for store in (original, copy)
    ]
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
            column = quoted(name)
            query = (
                f"SELECT count(*), count({column}), count(DISTINCT {column}), "
                f"coalesce(sum(typeof({column}) = 'integer'), 0), coalesce(sum(typeof({column}) = 'text'), 0), "
                f"coalesce(sum(length(CAST({column} AS BLOB))) FILTER (WHERE typeof({column}) IN ('text', 'blob')), 0) "
                f"FROM {quoted(table)}")
            before, after = (store.execute(query).fetchone() for store in (original, copy))
            if table == "Z_METADATA" and name == "Z_PLIST":
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
                and name not in ("ZTIMESTAMP", "ZNAME", "ZCONTEXTNAME")
                and not (copy is copies[1] and name in ("ZAUTHOR", "ZBUNDLEID", "ZPROCESSID"))
            ]
        if keys:
            query = f"SELECT {', '.join(map(quoted, keys))} FROM {quoted(table)}"
            if sorted(map(repr, original.execute(query))) != sorted(map(repr, copy.execute(query))):
                problems.append(f"{label}: keys in {table} differ")
    if "ATRANSACTION" in tables(original):
        query = "SELECT ZTIMESTAMP FROM ATRANSACTION ORDER BY Z_PK"
        pairs = zip(original.execute(query), copy.execute(query))
        offsets = {round(after - before, 5) for (before,), (after,) in pairs if before is not None}
        if len(offsets) > 1:
            problems.append(f"{label}: times are shifted by {sorted(offsets)[:3]}")

for problem in problems[:40]:
    print(problem)
sys.exit(1 if problems else 0)
