"""The stores that are analysed: what they are, and what is known of their models.

At least twenty of them are written here: sample stores of `histctl demo`, and stores of
make_store.py with other sizes. Stores of Apple's frameworks are taken in where there are some.
"""
import collections
import datetime
import os
import shutil
import sqlite3
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import make_store  # noqa: E402

# slots: (entity, attribute, slot of the column mask); titles: entity -> slot of the tombstone that
# holds what people call an object. Neither is known of a store that somebody else wrote.
Store = collections.namedtuple("Store", "path slots titles")

# The model of `histctl demo`, in slot order: relationships to one, attributes by name, to many.
DEMO_SLOTS = {
    "BucketListItem": ["trip", "details", "hasReservation", "isInPlan", "title"],
    "LivingAccommodation": ["trip", "address", "isConfirmed", "placeName"],
    "Trip": ["livingAccommodation", "destination", "endDate", "identifier", "name", "startDate",
             "bucketList"],
}
DEMO_TITLES = {"BucketListItem": 0, "Trip": 1}

# Transactions and changes. The one of 650,000 is a line longer than DuckDB reads by itself; the one
# without changes is a history all the same.
SIZES = [(400, 3_000), (900, 5_000), (1_500, 9_000), (250, 0), (60, 12_000), (2_000, 2_000),
         (1, 650_000), (3, 40_000), (700, 7_000), (5_000, 20_000), (1, 1), (120, 900),
         (300, 30_000), (1_000, 1_500)]
DEMOS = 8
TITLES = ("name", "title", "destination")

# Which of the relationships to many has which slot is Apple's hash order, which make_store.py does
# not follow; together they can be counted all the same.
TO_MANY = {(entity.name, name) for entity in make_store.make_model()
           for name, _ in entity.relationships(many=True)}
TO_MANY_NAME = "(to many)"


def made_slots():
    entities = make_store.make_model()
    named = {entity.name: entity for entity in entities}
    for entity in entities:
        for name, slots in make_store.Slots(entity, named).of.items():
            for slot in slots:
                yield entity.name, name, slot


def made_titles():
    for entity in make_store.make_model():
        names = [name for name, _ in entity.preserved()]
        for title in TITLES:
            if title in names:
                yield entity.name, names.index(title)
                break


def write_stores(histctl, folder):
    """Write the stores whose models are known."""
    os.makedirs(folder, exist_ok=True)
    demo_slots = [(entity, name, slot) for entity, names in DEMO_SLOTS.items()
                  for slot, name in enumerate(names)]
    for number in range(DEMOS):
        # Other days give another store: its identifier follows from the day.
        ending = datetime.date(2026, 11, 20) - datetime.timedelta(days=17 * number)
        place = os.path.join(folder, f"demo-{number}")
        subprocess.run([histctl, "demo", place, "--ending", ending.isoformat(), "--quiet"],
                       check=True, stdout=subprocess.DEVNULL)
        yield Store(os.path.join(place, "trips.store"), demo_slots, list(DEMO_TITLES.items()))
    slots, titles = list(made_slots()), list(made_titles())
    for seed, (transactions, changes) in enumerate(SIZES, 1):
        path = os.path.join(folder, f"made-{seed}.store")
        make_store.make_store(path, transactions, changes, seed)
        yield Store(path, slots, titles)


def copy_real_stores(source, folder):
    """Copies of the stores with history in a folder, one for each identifier."""
    os.makedirs(folder, exist_ok=True)
    known = set()
    for name in sorted(os.listdir(source)):
        if not name.endswith((".sqlite", ".store", ".db", ".storedata")):
            continue
        path = os.path.join(folder, name)
        for tail in ("", "-wal"):
            if os.path.exists(os.path.join(source, name + tail)):
                shutil.copy(os.path.join(source, name + tail), path + tail)
        identifier = identifier_with_history(path)
        if identifier and identifier not in known:
            known.add(identifier)
            yield Store(path, None, None)


def identifier_with_history(path):
    db = sqlite3.connect(path)
    try:
        if db.execute("SELECT count(*) FROM ATRANSACTION").fetchone()[0] == 0:
            return None
        return db.execute("SELECT Z_UUID FROM Z_METADATA").fetchone()[0]
    except sqlite3.DatabaseError:
        return None
    finally:
        db.close()
