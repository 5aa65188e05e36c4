import PropertyLists
import StoreFormat

/// The tables of a store that is mirrored to CloudKit, as those who have read one describe them.
///
/// No store that a framework mirrored is public, so these are built from that description.
package struct MirroredTables {
  /// A record of `ANSCKRECORDMETADATA`.
  package struct Record {
    /// Whether it waits to be uploaded.
    package var needsUpload = false
    /// Whether it waits to be deleted in the cloud.
    package var needsDelete = false
    /// The transaction with which it was exported last.
    package var lastExported: StoredValue = .null
    /// The transaction with which it will be exported.
    package var pendingExport: StoredValue = .null

    package init(
      needsUpload: Bool = false, needsDelete: Bool = false, lastExported: StoredValue = .null,
      pendingExport: StoredValue = .null
    ) {
      self.needsUpload = needsUpload
      self.needsDelete = needsDelete
      self.lastExported = lastExported
      self.pendingExport = pendingExport
    }
  }

  /// The key under which the mirror keeps its token.
  package static let tokenKey = "NSCloudKitMirroringDelegateLastHistoryTokenKey"

  /// An event of `ANSCKEVENT`.
  package struct Event {
    /// 0 for setup, 1 for import, 2 for export.
    package var type: Int64
    package var started: StoredValue
    package var ended: StoredValue = .null
    package var succeeded = false
    package var errorDomain: StoredValue = .null
    package var errorCode: StoredValue = .integer(0)

    package init(
      _ type: Int64, started: StoredValue, ended: StoredValue = .null, succeeded: Bool = false,
      errorDomain: StoredValue = .null, errorCode: StoredValue = .integer(0)
    ) {
      self.type = type
      self.started = started
      self.ended = ended
      self.succeeded = succeeded
      self.errorDomain = errorDomain
      self.errorCode = errorCode
    }
  }

  /// Adds the mirror's log of its own work.
  package static func add(_ events: [Event], to writer: StoreWriter) throws {
    try writer.sql(
      """
      CREATE TABLE ANSCKEVENT (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
        ZCLOUDKITEVENTTYPE INTEGER, ZCOUNTAFFECTEDOBJECTS INTEGER, ZCOUNTFINISHEDOBJECTS INTEGER,
        ZERRORCODE INTEGER, ZSUCCEEDED INTEGER, ZENDEDAT TIMESTAMP, ZSTARTEDAT TIMESTAMP,
        ZERRORDOMAIN VARCHAR, ZEVENTIDENTIFIER BLOB);
      """)
    try writer.insert(
      into: "ANSCKEVENT",
      events.map { event in
        [
          ("ZCLOUDKITEVENTTYPE", .integer(event.type)), ("ZSTARTEDAT", event.started),
          ("ZENDEDAT", event.ended), ("ZSUCCEEDED", .integer(event.succeeded ? 1 : 0)),
          ("ZERRORDOMAIN", event.errorDomain), ("ZERRORCODE", event.errorCode),
        ]
      })
  }

  /// Adds the tables to a store, with the value of the token's entry; nil for no entry.
  package static func add(
    to writer: StoreWriter, token: StoredValue?, records: [Record] = []
  ) throws {
    try writer.sql(
      """
      CREATE TABLE ANSCKMETADATAENTRY (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
        ZBOOLVALUENUM INTEGER, ZINTEGERVALUE INTEGER, ZDATEVALUE TIMESTAMP, ZKEY VARCHAR,
        ZSTRINGVALUE VARCHAR, ZTRANSFORMEDVALUE BLOB);
      CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
        ZENTITYID INTEGER, ZENTITYPK INTEGER, ZNEEDSCLOUDDELETE INTEGER, ZNEEDSUPLOAD INTEGER,
        ZLASTEXPORTEDTRANSACTIONNUMBER INTEGER, ZPENDINGEXPORTTRANSACTIONNUMBER INTEGER,
        ZCKRECORDNAME VARCHAR);
      CREATE TABLE ANSCKHISTORYANALYZERSTATE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER);
      """)
    try writer.insert(
      into: "ANSCKMETADATAENTRY",
      [
        [
          ("ZKEY", .text("PFCloudKitMetadataFrameworkVersionMetadataKey")),
          ("ZINTEGERVALUE", .integer(1345)),
        ]
      ])
    if let token {
      try writer.insert(
        into: "ANSCKMETADATAENTRY", [[("ZKEY", .text(tokenKey)), ("ZTRANSFORMEDVALUE", token)]])
    }
    try writer.insert(
      into: "ANSCKRECORDMETADATA",
      records.enumerated().map { index, record in
        [
          ("ZENTITYID", .integer(5)), ("ZENTITYPK", .integer(Int64(index + 1))),
          ("ZNEEDSUPLOAD", .integer(record.needsUpload ? 1 : 0)),
          ("ZNEEDSCLOUDDELETE", .integer(record.needsDelete ? 1 : 0)),
          ("ZLASTEXPORTEDTRANSACTIONNUMBER", record.lastExported),
          ("ZPENDINGEXPORTTRANSACTIONNUMBER", record.pendingExport),
        ]
      })
  }

  /// A token as `NSKeyedArchiver` archives it, in a binary property list.
  package static func archive(_ tokens: [String: Int64]) throws -> StoredValue {
    var writer = KeyedArchiveWriter()
    let pairs = tokens.sorted { $0.key < $1.key }.map {
      (key: writer.add(string: $0.key), value: writer.add(plain: .integer($0.value)))
    }
    let dictionary = writer.add(pairs: pairs, as: .dictionary)
    let root = writer.add(
      object: KeyedArchiveWriter.Class(
        "_NSPersistentHistoryToken", "NSPersistentHistoryToken", "NSObject"),
      fields: ["NSPersistentHistoryTokenDictionary": dictionary.value])
    return .blob(try BinaryPropertyListWriter.bytes(of: writer.finish(top: ["root": root])))
  }
}
