/// The layout of the database, which histctl-export(1) describes.
extension HistoryTables {
  /// The version of the layout, `PRAGMA user_version`.
  static let version: Int64 = 1

  static let schema =
    NameTable.allCases.map {
      "CREATE TABLE \($0) (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);\n"
    }.joined() + """
      CREATE TABLE entities (
        id INTEGER PRIMARY KEY,
        name TEXT,
        number INTEGER,
        UNIQUE (name, number));
      CREATE TABLE attributes (
        id INTEGER PRIMARY KEY,
        entityId INTEGER REFERENCES entities (id),
        name TEXT NOT NULL,
        UNIQUE (entityId, name));
      CREATE TABLE attributeSets (
        id INTEGER PRIMARY KEY,
        entityId INTEGER REFERENCES entities (id),
        columnsRaw TEXT NOT NULL,
        attributes TEXT,
        UNIQUE (entityId, columnsRaw, attributes));
      CREATE TABLE attributeSetMembers (
        attributeSetId INTEGER NOT NULL REFERENCES attributeSets (id),
        attributeId INTEGER NOT NULL REFERENCES attributes (id),
        PRIMARY KEY (attributeSetId, attributeId)) WITHOUT ROWID;
      CREATE TABLE transactions (
        id INTEGER PRIMARY KEY,
        storeId INTEGER REFERENCES stores (id),
        timestamp TEXT,
        timestampRaw REAL,
        authorId INTEGER REFERENCES authors (id),
        bundleId INTEGER REFERENCES bundles (id),
        processId INTEGER REFERENCES processes (id),
        contextId INTEGER REFERENCES contexts (id),
        queryGenerationRaw BLOB,
        extra TEXT,
        partial INTEGER);
      CREATE TABLE changes (
        id INTEGER PRIMARY KEY,
        transactionId INTEGER NOT NULL REFERENCES transactions (id),
        kind TEXT,
        entityId INTEGER REFERENCES entities (id),
        attributeSetId INTEGER REFERENCES attributeSets (id),
        pk INTEGER,
        tombstoneRaw TEXT,
        extra TEXT);
      CREATE TABLE tombstones (
        changeId INTEGER NOT NULL REFERENCES changes (id),
        attributeId INTEGER NOT NULL REFERENCES attributes (id),
        value);
      CREATE TABLE changeValues (
        changeId INTEGER NOT NULL REFERENCES changes (id),
        attributeId INTEGER NOT NULL REFERENCES attributes (id),
        type TEXT NOT NULL,
        source TEXT NOT NULL,
        known TEXT NOT NULL,
        old,
        oldLength INTEGER,
        new,
        newLength INTEGER);
      CREATE TABLE gaps (
        storeId INTEGER REFERENCES stores (id),
        after INTEGER NOT NULL,
        oldest INTEGER);
      PRAGMA user_version = \(version);
      """

  /// Created after all rows, which is several times faster.
  static let indexes = """
    CREATE INDEX transactionsByTimestamp ON transactions (timestamp);
    CREATE INDEX transactionsByAuthor ON transactions (authorId);
    CREATE INDEX changesByTransaction ON changes (transactionId);
    CREATE INDEX changesByObject ON changes (entityId, pk);
    CREATE INDEX changesByAttributeSet ON changes (attributeSetId) WHERE attributeSetId NOTNULL;
    CREATE INDEX attributeSetMembersByAttribute ON attributeSetMembers (attributeId);
    CREATE INDEX tombstonesByChange ON tombstones (changeId);
    CREATE INDEX tombstonesByAttribute ON tombstones (attributeId);
    CREATE INDEX changeValuesByChange ON changeValues (changeId);
    CREATE INDEX changeValuesByAttribute ON changeValues (attributeId);

    """

  /// Views have names where tables have numbers.
  static let views = """
    CREATE VIEW namedTransactions AS
    SELECT t.id AS transactionId, s.name AS store, t.timestamp, a.name AS author, b.name AS bundle,
      p.name AS process, c.name AS context,
      (SELECT count(*) FROM changes WHERE transactionId = t.id) AS changeCount
    FROM transactions AS t
      LEFT JOIN stores AS s ON s.id = t.storeId
      LEFT JOIN authors AS a ON a.id = t.authorId
      LEFT JOIN bundles AS b ON b.id = t.bundleId
      LEFT JOIN processes AS p ON p.id = t.processId
      LEFT JOIN contexts AS c ON c.id = t.contextId;

    CREATE VIEW namedChanges AS
    SELECT h.id AS changeId, t.id AS transactionId, t.timestamp, a.name AS author,
      b.name AS bundle, p.name AS process, h.kind, coalesce(e.name, '#' || e.number) AS entity, h.pk,
      e.name || '/p' || h.pk AS object, m.attributes
    FROM changes AS h
      JOIN transactions AS t ON t.id = h.transactionId
      LEFT JOIN authors AS a ON a.id = t.authorId
      LEFT JOIN bundles AS b ON b.id = t.bundleId
      LEFT JOIN processes AS p ON p.id = t.processId
      LEFT JOIN entities AS e ON e.id = h.entityId
      LEFT JOIN attributeSets AS m ON m.id = h.attributeSetId;

    CREATE VIEW namedAttributes AS
    SELECT h.*, n.name AS attribute
    FROM namedChanges AS h
      JOIN changes AS c ON c.id = h.changeId
      JOIN attributeSetMembers AS m ON m.attributeSetId = c.attributeSetId
      JOIN attributes AS n ON n.id = m.attributeId;

    CREATE VIEW namedValues AS
    SELECT h.changeId, h.transactionId, h.timestamp, h.author, h.kind, h.entity, h.pk, h.object,
      n.name AS attribute, v.type, v.source, v.known, v.old, v.oldLength, v.new, v.newLength
    FROM changeValues AS v
      JOIN attributes AS n ON n.id = v.attributeId
      JOIN namedChanges AS h ON h.changeId = v.changeId;

    CREATE VIEW namedTombstones AS
    SELECT h.changeId, h.transactionId, h.timestamp, h.author, h.kind, h.entity, h.pk, h.object,
      n.name AS attribute, v.value
    FROM tombstones AS v
      JOIN attributes AS n ON n.id = v.attributeId
      JOIN namedChanges AS h ON h.changeId = v.changeId;
    """
}
