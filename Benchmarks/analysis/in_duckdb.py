"""Run the recipes in DuckDB, in the current folder, and print what they say as JSON.

    in_duckdb.py OPEN SUFFIX QUERY...

OPEN is recipes of duckdb/ with commas between them, SUFFIX what the names of the exports end in, or
`lake` for folders of stores and months. Without queries the recipes run alone.
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
        if os.path.exists(os.path.join(HERE, "duckdb", name + ".py")):
            exec(compile(recipe("duckdb", name + ".py"), name, "exec"), {"database": database})
            continue
        text = recipe("duckdb", name + ".sql")
        # The folder of a month is one more level.
        if suffix == "lake":
            text = text.replace("exports/*/*.", "exports/*/*/*.")
        else:
            text = text.replace(".jsonl.zst", ".jsonl." + suffix)
        database.execute(text)
    json.dump({query: database.execute(recipe("queries", query + ".sql")).fetchall()
               for query in queries}, sys.stdout, default=str)


if __name__ == "__main__":
    main()
