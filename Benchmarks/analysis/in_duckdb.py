"""Run the recipes in DuckDB, in the current folder, and print what they say as JSON.

    in_duckdb.py OPEN SUFFIX QUERY...

OPEN is a recipe of duckdb/, SUFFIX what the names of the exports end in. Without queries the
recipe runs alone.
"""
import json
import os
import sys

import duckdb

HERE = os.path.dirname(os.path.abspath(__file__))


def recipe(*place):
    with open(os.path.join(HERE, *place), encoding="utf-8") as file:
        return file.read()


def main():
    names, suffix, queries = sys.argv[1].split(","), sys.argv[2], sys.argv[3:]
    database = duckdb.connect()
    # Days are those of UTC wherever this runs.
    database.execute("SET TimeZone = 'America/St_Johns'")
    for name in names:
        database.execute(recipe("duckdb", name + ".sql").replace(".jsonl.zst", ".jsonl." + suffix))
    json.dump({query: database.execute(recipe("queries", query + ".sql")).fetchall()
               for query in queries}, sys.stdout, default=str)


if __name__ == "__main__":
    main()
