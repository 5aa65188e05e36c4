"""Exports of stores, in the folders and forms that the recipes read."""
import os
import sqlite3
import subprocess

# A folder for each form, because a pattern of names would take several forms for one.
FORMS = (("exports", "jsonl"), ("changes", "changes"))
METHODS = ("zstd", "gzip")


def export(histctl, stores, folder):
    for number, store in enumerate(stores):
        for place, form in FORMS:
            for method in METHODS:
                # Every third store in two files, as a nightly job would leave them.
                for part in ranges(store.path) if number % 3 == 0 else [[]]:
                    subprocess.run(
                        [histctl, "export", store.path, "--format", form, "--compress", method,
                         "--output-dir", os.path.join(folder, place), "--quiet", *part], check=True)


def ranges(path):
    """The options for the two halves of a history."""
    db = sqlite3.connect(path)
    numbers = [row[0] for row in db.execute("SELECT Z_PK FROM ATRANSACTION ORDER BY 1")]
    db.close()
    if len(numbers) < 2:
        return [[]]
    middle = str(numbers[len(numbers) // 2])
    return [["--until", middle], ["--after", middle]]
