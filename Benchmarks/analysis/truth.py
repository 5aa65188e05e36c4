"""The same figures as those of the recipes, taken from the stores by SQLite alone."""
import collections
import os
import sqlite3

HERE = os.path.dirname(os.path.abspath(__file__))

# How the figures of several stores become one row: what identifies a row, and what happens to the
# other columns. Rows that have a store in them are left alone.
MERGES = {
    "kinds": (2, (sum, sum)),
    "days": (2, (sum, sum)),
    "attributes": (2, (sum,)),
    "deleted": (2, (sum, max)),
    "preserved": (1, (sum, sum, sum)),
}
# These need to know the model.
OF_KNOWN_MODELS = ("attributes", "deleted")


def figures(query, stores):
    """The rows of a query over all stores, in no order."""
    with open(os.path.join(HERE, "sqlite", query + ".sql"), encoding="utf-8") as file:
        text = file.read()
    rows = [row for store in stores for row in ask(store, text)]
    if query not in MERGES:
        return rows
    width, merges = MERGES[query]
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row[:width]].append(row[width:])
    return [key + tuple(merge(column) for merge, column in zip(merges, zip(*group)))
            for key, group in groups.items()]


def ask(store, text):
    db = sqlite3.connect(store.path)
    try:
        prepare(db, store)
        return db.execute(text).fetchall()
    finally:
        db.close()


def prepare(db, store):
    """Temporary views that hide which layout a store has, and tables of what is known of it."""
    columns = [row[1] for row in db.execute("PRAGMA table_info(ATRANSACTION)")]
    author = "t.ZAUTHOR"
    if "ZAUTHORTS" in columns:
        author = ("coalesce((SELECT ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.ZAUTHORTS), "
                  "t.ZAUTHOR)")
    db.execute(f"CREATE TEMP VIEW authors AS SELECT t.Z_PK AS saved, {author} AS author "
               "FROM ATRANSACTION t")
    stones = [row[1] for row in db.execute("PRAGMA table_info(ACHANGE)")
              if row[1].startswith("ZTOMBSTONE")]
    values = [f"SELECT Z_PK AS change, {name[len('ZTOMBSTONE'):]} AS slot, {name} AS value "
              f"FROM ACHANGE WHERE {name} IS NOT NULL" for name in stones]
    db.execute("CREATE TEMP VIEW preserved AS " + (
        " UNION ALL ".join(values) or "SELECT 0 AS change, 0 AS slot, NULL AS value WHERE 0"))
    db.execute("CREATE TEMP VIEW preserved_counts AS SELECT Z_PK AS change, " + (
        " + ".join(f"({name} IS NOT NULL)" for name in stones) or "0") + " AS value_count "
        "FROM ACHANGE")
    db.execute("CREATE TEMP TABLE slots (entity, attribute, slot)")
    db.executemany("INSERT INTO slots VALUES (?, ?, ?)", store.slots or [])
    db.execute("CREATE TEMP TABLE titles (entity, slot)")
    db.executemany("INSERT INTO titles VALUES (?, ?)", store.titles or [])
