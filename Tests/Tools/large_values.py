#!/usr/bin/env python3
"""Measures the peak memory of every command over stores that have large values, and prints a table.

    Tests/Tools/large_values.py HISTCTL [--content NAME]... [--command "LINE"]... [--slack MB]
    Tests/Tools/large_values.py HISTCTL --write FOLDER --content NAME

The limit is 64 MB and twice the size of the largest value; the table marks what is over it. Ends with 1 if something is, or
if a command crashes. --slack is for a program that is not optimized. With --write only the store is made, as FOLDER/x.store,
and the transaction and the object of the large value are printed.
"""
import argparse
import collections
import contextlib
import os
import plistlib
import shlex
import sqlite3
import subprocess
import sys
import tempfile
import uuid

MB = 1 << 20
# ru_maxrss counts bytes on macOS, kilobytes elsewhere.
UNIT = 1 if sys.platform == "darwin" else 1024


def tombstone(value):
    return f"UPDATE ACHANGE SET ZTOMBSTONE0 = {value} WHERE Z_PK = (SELECT max(Z_PK) FROM ACHANGE WHERE ZCHANGETYPE = 2)"


Content = collections.namedtuple("Content", "largest script commands", defaults=[None])

# How many stores are read together in one content: a command then cannot take its limit for each of them.
STORES = 26

# What is large in a store: the size of the largest value, and what makes it so.
CONTENTS = {
    "mask": Content(40 * MB, """
        UPDATE ACHANGE SET ZCOLUMNS = CAST(printf('%.*c', {size}, 'x') AS BLOB)
        WHERE Z_PK = (SELECT max(Z_PK) FROM ACHANGE WHERE ZCHANGETYPE = 1)"""),
    # Two changes of one transaction.
    "masks": Content(30 * MB, """
        CREATE TEMP TABLE two AS SELECT Z_PK AS pk FROM ACHANGE
          WHERE ZCHANGETYPE = 1 AND ZTRANSACTIONID = (
            SELECT max(number) FROM (SELECT ZTRANSACTIONID AS number FROM ACHANGE WHERE ZCHANGETYPE = 1
            GROUP BY ZTRANSACTIONID HAVING count(*) > 1)) ORDER BY Z_PK DESC LIMIT 2;
        UPDATE ACHANGE SET ZCOLUMNS = CAST(printf('%.*c', {size}, 'x') AS BLOB) WHERE Z_PK IN (SELECT pk FROM two)"""),
    "text": Content(30 * MB, tombstone("printf('%.*c', {size}, 'x')")),
    "data": Content(30 * MB, tombstone("zeroblob({size})")),
    "controls": Content(30 * MB, tombstone("printf('%.*c', {size}, char(1))")),
    # Ten authors, which the last twelve transactions have in turn.
    "authors": Content(10 * MB, """
        CREATE TEMP TABLE number AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9)
          SELECT i, (SELECT max(Z_PK) FROM ATRANSACTIONSTRING) + 1 + i AS pk FROM n;
        INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, Z_OPT, ZNAME)
          SELECT pk, 16003, 1, printf('%.*c', {size}, char(97 + i)) FROM number;
        UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(pk) FROM number) WHERE Z_ENT = 16003;
        UPDATE ATRANSACTION SET ZAUTHORTS = (SELECT pk FROM number WHERE i = ATRANSACTION.Z_PK % 10)
        WHERE Z_PK > (SELECT max(Z_PK) - 12 FROM ATRANSACTION)"""),
    # The newest transaction of each store has an author of its own.
    "stores": Content(4 * MB, """
        INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, Z_OPT, ZNAME)
          SELECT max(Z_PK) + 1, 16003, 1, printf('%.*c', {size}, 'x') FROM ATRANSACTIONSTRING;
        UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM ATRANSACTIONSTRING) WHERE Z_ENT = 16003;
        UPDATE ATRANSACTION SET ZAUTHORTS = (SELECT max(Z_PK) FROM ATRANSACTIONSTRING)
        WHERE Z_PK = (SELECT max(Z_PK) FROM ATRANSACTION)""", [
            "log ALL", "log ALL --reverse", "log ALL --json", "log ALL --changes", "stats ALL", "stats ALL --json"]),
    # A property list with one more value is made below.
    "properties": Content(30 * MB, None),
    # Sixty changes with two values each.
    "rows": Content(1_000_000, """
        UPDATE ACHANGE SET ZCHANGETYPE = 2, ZCOLUMNS = NULL, ZTOMBSTONE0 = zeroblob({size}),
          ZTOMBSTONE1 = printf('%.*c', {size}, 'x')
        WHERE Z_PK > (SELECT max(Z_PK) - 60 FROM ACHANGE)"""),
    "generation": Content(30 * MB, """
        UPDATE ATRANSACTION SET ZQUERYGEN = zeroblob({size}) WHERE Z_PK = (SELECT max(Z_PK) - 1 FROM ATRANSACTION)"""),
    "object": Content(30 * MB, """
        UPDATE ZTRIP SET ZNAME = printf('%.*c', {size}, 'x') WHERE Z_PK = (SELECT max(Z_PK) FROM ZTRIP)"""),
}

# In an order in which the files of later ones exist. T is the transaction of the large change, O its object, ALL the
# stores that are read together. What comes after < is standard input.
COMMANDS = """
info x.store
log x.store
log x.store --changes
log x.store --json
log x.store --value name=x
log x.store -n 20
show x.store T
show x.store T --json
diff x.store 0
diff x.store 0 --json
object x.store O
object x.store O --json
blame x.store O
recover x.store --transaction T
recover x.store O --json
recover x.store O -o recovered.store
stats x.store
stats x.store --sessions
export x.store
export x.store --format changes
export x.store --format cloudevents
export x.store --format debezium
export x.store --format csv
export x.store --format timesketch
export x.store --format bodyfile
export x.store -o e.sqlite
export x.store -o e.jsonl.zst
export x.store -o e.jsonl.gz
export x.store --output-dir folder --bookmark nightly
log e.jsonl.zst --json
export e.jsonl.zst --format csv
report x.store -o r.html
find .
mcp . < {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"show","arguments":{"store":"x.store","token":"T"}}}
verify x.store
verify x.store --full
check x.store --max-size 1G
token show x.store last
token check x.store 300
bookmark list x.store
rehearse x.store last -o rehearsed.store
snapshot x.store last -o snapshot.store
diff x.store --with snapshot.store --values
scrub x.store -o scrubbed.store --yes --authors
scrub x.store -o named.store --yes --names
record x.store --once
archive x.store sealed
info sealed
log sealed --json
log sealed --changes
diff sealed 0
stats sealed
object sealed O
export sealed
export sealed --format csv
export sealed -o s.sqlite
report sealed -o s.html
verify sealed
verify sealed --full
forget sealed --merge --yes
forget sealed --keep-last 20 --yes
maintain --config m.ini --dry-run
maintain --config m.ini
prune x.store --keep-last 1 --archive all --yes
restore x.store all --yes
prune x.store --keep-last 1 --yes
compact x.store
""".strip().splitlines()

CONFIG = "[trips]\nstore = x.store\nprune.keep-last = 300\nprune.archive = nightly\ncompact = yes\n"


def write(histctl, folder, content):
    """Makes the store, and returns the transaction and the object of the large value."""
    subprocess.run([histctl, "demo", folder, "--ending", "2026-11-20"], check=True, stdout=subprocess.DEVNULL)
    path = os.path.join(folder, "x.store")
    os.rename(os.path.join(folder, "trips.store"), path)
    store = sqlite3.connect(path)
    if content.script:
        store.executescript(content.script.replace("{size}", str(content.largest)))
    else:
        properties = plistlib.loads(store.execute("SELECT Z_PLIST FROM Z_METADATA").fetchone()[0])
        properties["large"] = bytes(content.largest)
        store.execute("UPDATE Z_METADATA SET Z_PLIST = ?", (plistlib.dumps(properties, fmt=plistlib.FMT_BINARY),))
    store.commit()
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    if content.commands:
        for number in range(1, STORES + 1):
            store.execute("VACUUM INTO ?", (os.path.join(folder, f"{number}.store"),))
            with contextlib.closing(sqlite3.connect(os.path.join(folder, f"{number}.store"))) as other, other:
                other.execute("UPDATE Z_METADATA SET Z_UUID = ?", (str(uuid.UUID(int=number)).upper(),))
    found = store.execute("""
        SELECT ZTRANSACTIONID, Z_NAME || '/p' || ZENTITYPK
        FROM ACHANGE JOIN Z_PRIMARYKEY ON Z_PRIMARYKEY.Z_ENT = ZENTITY
        ORDER BY length(coalesce(ZCOLUMNS, 0)) DESC, length(CAST(coalesce(ZTOMBSTONE0, 0) AS BLOB)) DESC
        LIMIT 1""").fetchone()
    store.close()
    return [str(value) for value in found]


def measure(histctl, line, folder):
    """Returns the status, the peak memory in bytes and what the command said on standard error."""
    line, _, given = line.partition(" < ")
    environment = {**os.environ, "HOME": folder, "TZ": "UTC", "LC_ALL": "C.UTF-8"}
    with tempfile.TemporaryFile() as inputs, tempfile.TemporaryFile() as errors:
        inputs.write(given.encode() + b"\n")
        inputs.seek(0)
        program = subprocess.Popen([histctl, *shlex.split(line)], cwd=folder, stdin=inputs, env=environment,
                                   stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(program.pid, 0)
        program.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        text = errors.read(400).decode(errors="replace").strip().partition("\n")[0]
    return program.returncode, usage.ru_maxrss * UNIT, text


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("histctl")
    parser.add_argument("--content", action="append", choices=CONTENTS, help="only this store")
    parser.add_argument("--command", action="append", help="only this command")
    parser.add_argument("--slack", type=float, default=4, help="what the program itself may take more, in MB (4)")
    parser.add_argument("--write", metavar="FOLDER", help="write the store of --content, and measure nothing")
    options = parser.parse_args()
    histctl = os.path.abspath(options.histctl)
    names = options.content or list(CONTENTS)
    if options.write:
        print(*write(histctl, options.write, CONTENTS[names[0]]))
        return 0
    commands = options.command or COMMANDS + [
        command for name in names if CONTENTS[name].commands for command in CONTENTS[name].commands]
    peaks, problems = {}, []
    for name in names:
        content = CONTENTS[name]
        limit = 64 * MB + 2 * content.largest + options.slack * MB
        with tempfile.TemporaryDirectory() as folder:
            # In a process of its own: until a child becomes another program it is charged with the memory of this one.
            made = subprocess.run([sys.executable, __file__, histctl, "--content", name, "--write", folder],
                                  check=True, stdout=subprocess.PIPE, text=True)
            transaction, changed = made.stdout.split()
            with open(os.path.join(folder, "m.ini"), "w", encoding="utf-8") as file:
                file.write(CONFIG)
            for command in options.command or content.commands or COMMANDS:
                stores = " ".join(f"{number}.store" for number in range(1, STORES + 1))
                names_of = {"T": transaction, "O": changed, "ALL": stores}
                line = " ".join(names_of.get(word, word) for word in command.split(" ")).replace('"T"', f'"{transaction}"')
                status, peak, error = measure(histctl, line, folder)
                peaks[command, name] = f"{peak / MB:.0f}"
                if peak > limit:
                    peaks[command, name] += "*"
                    problems.append(f"{name}: {line}: {peak / MB:.0f} MB (limit {limit / MB:.0f})")
                if status < 0:
                    problems.append(f"{name}: {line}: ended by signal {-status}")
                if status not in (0, 1) or error:
                    print(f"{name}: {line}: status {status}, {error[:200]}", file=sys.stderr, flush=True)
    width = min(max(map(len, commands)), 55)
    print(f"{'MB at most (a star is over the limit)':{width}}" + "".join(f"{name:>12}" for name in names))
    limits = (f"{64 + 2 * CONTENTS[name].largest // MB}" for name in names)
    print(f"{'limit':{width}}" + "".join(f"{limit:>12}" for limit in limits))
    for command in commands:
        print(f"{command[:width]:{width}}" + "".join(f"{peaks.get((command, name), '-'):>12}" for name in names))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
