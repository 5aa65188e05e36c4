"""An app that saves to the sample store, without histctl: the tables by SQLite, the history as Core Data writes it."""
import sqlite3
import threading

CHANGE, TRANSACTION, STRING = 16001, 16002, 16003
INSERT, UPDATE, DELETE = 0, 1, 2
ITEM = 1
TEXTS = ("Museum", "Tromsø \u2603", "two\nlines", "\x1b[31mred\x07", "札幌", "", "=1+1", "\u202eabc\u202c", "a" * 3000)
AUTHORS = (None, "app", "widget", "server-sync", "evil\x1b]0;title\x07", "new")


def open_store(path):
    database = sqlite3.connect(path, isolation_level=None, timeout=60, check_same_thread=False)
    database.execute("PRAGMA journal_mode = WAL").fetchall()
    return database


class App:
    """Saves to a store, and to a copy in memory, which shows what must be in the store and in its archive."""

    def __init__(self, path, random):
        self.path, self.random = path, random
        self.lock = threading.Lock()
        self.database = None
        self.truth = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        source = open_store(path)
        source.backup(self.truth)
        source.close()
        self.masks = [row[0] for row in self.truth.execute("SELECT DISTINCT ZCOLUMNS FROM ACHANGE WHERE ZENTITY = ? AND ZCOLUMNS IS NOT NULL ORDER BY 1", (ITEM,))]

    def is_open(self):
        return self.database is not None

    def close(self):
        if self.database:
            self.database.close()
            self.database = None

    def save(self):
        """Saves some changes of items."""
        with self.lock:
            self.database = self.database or open_store(self.path)
            statements = self.statements()
            for database in (self.database, self.truth):
                database.execute("BEGIN IMMEDIATE")
                for statement in statements:
                    database.execute(*statement)
                database.execute("COMMIT")

    def checkpoint(self):
        if self.database:
            self.database.execute(f"PRAGMA wal_checkpoint({self.random.choice(('PASSIVE', 'RESTART', 'TRUNCATE'))})").fetchall()

    def one(self, query, *arguments):
        return self.truth.execute(query, arguments).fetchone()[0]

    def statements(self):
        """The statements of one save."""
        random, statements = self.random, []
        maximum = {number: self.one("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", number) for number in (ITEM, CHANGE, TRANSACTION, STRING)}

        def next_key(number):
            maximum[number] += 1
            return maximum[number]
        number = next_key(TRANSACTION)
        author = random.choice(AUTHORS)
        row = self.truth.execute("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?", (author,)).fetchone()
        author_key = row[0] if row else None
        if author and not row:
            author_key = next_key(STRING)
            # prune deletes names that are no longer used, so that of an earlier save may be missing.
            statements.append(("INSERT OR IGNORE INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (?, ?, ?)", (author_key, STRING, author)))
        time = self.one("SELECT max(ZTIMESTAMP) FROM ATRANSACTION") + random.expovariate(1 / 60)
        process = self.one("SELECT ZPROCESSIDTS FROM ATRANSACTION ORDER BY Z_PK DESC LIMIT 1")
        statements.append((
            "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHORTS, ZPROCESSIDTS, ZBUNDLEIDTS, ZTIMESTAMP) VALUES (?, ?, ?, ?, ?, ?)",
            (number, TRANSACTION, author_key, process, self.one("SELECT ZBUNDLEIDTS FROM ATRANSACTION ORDER BY Z_PK DESC LIMIT 1"), time)))
        keys = [row[0] for row in self.truth.execute("SELECT Z_PK FROM ZBUCKETLISTITEM")]
        touched = set()
        for _ in range(random.choice((1, 1, 2, 3, 8, 60))):
            kind, mask, stone = random.choice((INSERT, INSERT, UPDATE, UPDATE, UPDATE, DELETE)), None, None
            key = random.choice(keys) if keys else None
            text = random.choice(TEXTS) + str(number)
            if kind == INSERT or key is None or key in touched:
                kind, key = INSERT, next_key(ITEM)
                statements.append(("INSERT INTO ZBUCKETLISTITEM (Z_PK, Z_ENT, Z_OPT, ZISINPLAN, ZTITLE) VALUES (?, ?, 1, 0, ?)", (key, ITEM, text)))
            elif kind == UPDATE:
                mask = random.choice(self.masks)
                statements.append(("UPDATE ZBUCKETLISTITEM SET Z_OPT = Z_OPT + 1, ZTITLE = ? WHERE Z_PK = ?", (text, key)))
            else:
                stone = self.one("SELECT ZTITLE FROM ZBUCKETLISTITEM WHERE Z_PK = ?", key)
                statements.append(("DELETE FROM ZBUCKETLISTITEM WHERE Z_PK = ?", (key,)))
            touched.add(key)
            statements.append((
                "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS, ZTOMBSTONE0) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (next_key(CHANGE), CHANGE, kind, ITEM, key, number, mask, stone)))
        statements += [("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?", (value, key)) for key, value in maximum.items()]
        return statements


def history(database, after=0):
    """The transactions of a store by their numbers, with all that their rows say, and names in place of keys."""
    names = dict(database.execute("SELECT Z_PK, ZNAME FROM ATRANSACTIONSTRING"))
    entities = dict(database.execute("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY"))
    found = {}
    for number, author, bundle, process, time in database.execute("SELECT Z_PK, ZAUTHORTS, ZBUNDLEIDTS, ZPROCESSIDTS, ZTIMESTAMP FROM ATRANSACTION WHERE Z_PK > ?", (after,)):
        found[number] = (names.get(author), names.get(bundle), names.get(process), time, [])
    for transaction, number, kind, entity, key, mask, *stones in database.execute("SELECT ZTRANSACTIONID, Z_PK, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZCOLUMNS, ZTOMBSTONE0, ZTOMBSTONE1 FROM ACHANGE WHERE ZTRANSACTIONID > ? ORDER BY Z_PK", (after,)):
        found[transaction][4].append((number, ("insert", "update", "delete")[kind], entities[entity], key, mask and mask.hex(), stones))
    return found


def other_tables(database):
    """The rows of all tables that are not of the history."""
    tables = sorted(row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('ACHANGE', 'ATRANSACTION', 'ATRANSACTIONSTRING')"))
    schema = sorted(row[0] for row in database.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"))
    return schema, {table: list(database.execute(f"SELECT * FROM {table} ORDER BY 1")) for table in tables}
