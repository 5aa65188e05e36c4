"""What exports wrote, and what stores have, without histctl: with zstd and SQLite."""
import json
import os
import sqlite3
import subprocess


def lines(paths):
    """The lines of compressed files, parsed one by one."""
    if not paths:
        return
    with subprocess.Popen(["zstd", "-dcq", *paths], stdout=subprocess.PIPE) as unpacked:
        for line in unpacked.stdout:
            yield json.loads(line)
    if unpacked.returncode:
        raise subprocess.CalledProcessError(unpacked.returncode, unpacked.args)


def counted(lake):
    """The transactions in a lake, by the names of their stores' folders."""
    counts = {}
    for folder, _, files in os.walk(lake):
        paths = [os.path.join(folder, name) for name in files if name.endswith(".jsonl.zst")]
        if not paths:
            continue
        store = os.path.relpath(folder, lake).split(os.sep)[0].split("=")[-1]
        counts.setdefault(store, []).extend(line["transaction"] for line in lines(paths))
    return counts


def wanted(paths):
    """The transactions in stores, by the identifiers of the stores."""
    wanted = {}
    for path in paths:
        database = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
        store = database.execute("SELECT Z_UUID FROM Z_METADATA").fetchone()[0]
        wanted[store] = sorted(row[0] for row in database.execute("SELECT Z_PK FROM ATRANSACTION"))
        database.close()
    return wanted


def run_killed(command, seconds, **options):
    """Runs a command and kills it after a time. Returns whether it was still running."""
    process = subprocess.Popen(command, **options)
    try:
        process.wait(seconds)
        return False
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return True
