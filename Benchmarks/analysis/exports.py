"""Exports of stores, in the folders and forms that the recipes read."""
import os
import sqlite3
import subprocess

# A folder for each form, because a pattern of names would take several forms for one.
FORMS = (("exports", "jsonl"), ("changes", "changes"))
# What the names of their files end in is also the name of their folder: an export does not put a
# transaction beside another file that has it.
ENDINGS = {"zstd": "zst", "gzip": "gz"}


def place_of(folder, ending):
    """Where the exports are whose names end so."""
    return os.path.join(folder, ending)


def export(histctl, stores, folder):
    for number, store in enumerate(stores):
        for place, form in FORMS:
            for method, ending in ENDINGS.items():
                target = os.path.join(place_of(folder, ending), place)
                # Every third store in two files, as a nightly job would leave them.
                for part in ranges(store.path) if number % 3 == 0 else [[]]:
                    subprocess.run(
                        [histctl, "export", store.path, "--format", form, "--compress", method,
                         "--output-dir", target, "--quiet", *part], check=True)


def export_lake(histctl, stores, folder):
    """One run over all stores, into folders for stores and months, and one that finds nothing new."""
    target = os.path.join(place_of(folder, "lake"), "exports")
    command = [histctl, "export", *(store.path for store in stores), "--output-dir", target,
               "--partition", "store,month", "--bookmark", "nightly", "--quiet"]
    for _ in range(2):
        subprocess.run(command, check=True)


def export_events(histctl, stores, folder):
    """Events for Timesketch, a file for each store."""
    paths = [os.path.join(folder, f"{number}.timesketch.jsonl") for number in range(len(stores))]
    for store, path in zip(stores, paths):
        subprocess.run([histctl, "export", store.path, "--format", "timesketch", "--output", path, "--quiet"], check=True)
    return paths


def ranges(path):
    """The options for the two halves of a history."""
    db = sqlite3.connect(path)
    numbers = [row[0] for row in db.execute("SELECT Z_PK FROM ATRANSACTION ORDER BY 1")]
    db.close()
    if len(numbers) < 2:
        return [[]]
    middle = str(numbers[len(numbers) // 2])
    return [["--until", middle], ["--after", middle]]
