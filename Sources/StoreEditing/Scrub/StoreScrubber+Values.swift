import PropertyLists
import StoreFormat

/// What replaces a value, by the rule of its column.
extension StoreScrubber {
  /// The maximum size of a property list whose parts are replaced, in bytes; decoded it takes many times as much.
  private static let longestPropertyList = 1 << 20

  mutating func scrub(
    _ value: StoredValue, _ rule: ScrubPlan.Rule, entity: Int64?, keepsAuthor: Bool
  ) throws -> StoredValue {
    switch (rule, value) {
    case (_, .null), (.number, .integer), (.boolean, .integer(0...1)): return value
    case (.emptied(let mayBeNull), _): return mayBeNull ? .null : value.emptied
    case (.date, _): return values.shift(value)
    case (.caseName(let name), .text(let text)) where text == name:
      return .text(names?.names.properties[name] ?? name)
    case (.entityName, .text) where names == nil: return value
    case (.model, .blob(let bytes)) where names == nil:
      return ModelCache.isExact(content: bytes) ? value : .null
    case (.model, _) where names == nil: return .null
    case (.mask, .blob(let bytes)) where bytes.count > entity.flatMap({ plan.maskLengths[$0] }) ?? 0:
      return values.scrub(value)
    case (.mask, .blob) where names == nil: return value
    case (.entityName, .text), (.model, _), (.mask, .blob):
      return try names?.replace(value, rule, entity: entity, &values) ?? .null
    case (.author, .text(let text)) where Self.prefix(ofFrameworks: text) != nil:
      return .text(scrub(ofFrameworks: text, Self.authors))
    case (.author, .text) where keepsAuthor: return value
    case (.frameworkKey, .text(let text)) where Self.prefix(ofFrameworks: text) != nil:
      return .text(scrub(ofFrameworks: text, Self.keys))
    case (.largeData, .blob(let bytes)), (.unknown, .blob(let bytes)):
      return .blob(scrub(largeData: bytes, isKnown: rule == .largeData))
    case (.tombstone(let number), _):
      let rules = entity.flatMap { plan.tombstoneRules[$0] } ?? []
      let rule = rules.indices.contains(number) ? rules[number] : .unknown
      return try scrub(value, rule, entity: nil, keepsAuthor: false)
    case (.propertyList, .blob(let bytes)): return try scrub(metadata: bytes)
    case (.token, .blob(let bytes)) where bytes.count <= Self.longestPropertyList:
      return scrub(token: bytes)
    default: return values.scrub(value)
    }
  }

  // MARK: - Names of the frameworks

  /// The beginning of a name that the frameworks set, whose code looks for it.
  private static func prefix(ofFrameworks name: String) -> String? {
    [Self.migrator, "NSCloudKitMirroringDelegate", "PFCloudKit", "com.apple.coredata."].first {
      name.utf8.starts(with: $0.utf8)
    }
  }

  /// The beginning of the author of a migration; the digest of a model follows.
  private static let migrator =
    "com.apple.coredata.schemamigrator: lightweight migration from model with digest "

  private static let authors: Set<String> = Set(
    ["import", "export", "reset", "setup"].map { "NSCloudKitMirroringDelegate." + $0 })

  private static let keys: Set<String> = Set(
    """
    NSCloudKitMirroringDelegateLastHistoryTokenKey NSCloudKitMirroringDelegateServerChangeTokensKey
    NSCloudKitMirroringDelegateCKIdentityRecordNameDefaultsKey
    NSCloudKitMirroringDelegateCheckedCKIdentityDefaultsKey
    NSCloudKitMirroringDelegateBypassHistoryOnExportKey
    NSCloudKitMirroringDelegateScanForRowsMissingFromHistoryKey
    PFCloudKitMetadataFrameworkVersionMetadataKey PFCloudKitMetadataModelVersionHashesKey
    PFCloudKitMetadataClientVersionHashesMetadataKey PFCloudKitMetadataNeedsMetadataMigrationKey
    PFCloudKitMetadataNeedsZoneFetchAfterClientMigrationKey
    """.split { $0 == " " || $0 == "\n" }.map(String.init))

  /// Keeps a name of the frameworks if it is known, and otherwise its beginning.
  private func scrub(ofFrameworks name: String, _ known: Set<String>) -> String {
    guard !known.contains(name), let prefix = Self.prefix(ofFrameworks: name) else { return name }
    let rest = String(decoding: name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    // A digest identifies the model, and so do the names that stay.
    let isDigest =
      prefix == Self.migrator && rest.wholeMatch(of: #/\{ [A-Za-z0-9+\/]{86}== \}/#) != nil
    return isDigest && names == nil ? name : prefix + values.scrub(rest)
  }

  /// Replaces data after its first byte, which says where it is stored. A reference to a file becomes short data.
  private mutating func scrub(largeData bytes: [UInt8], isKnown: Bool) -> [UInt8] {
    func scrubRest() -> [UInt8] {
      bytes.withUnsafeBytes {
        values.scrub(UnsafeRawBufferPointer(rebasing: $0.dropFirst()), after: $0.first)
      }
    }
    // Large data is not copied to look at its first byte.
    if LargeValueColumn.isInline(bytes) { return scrubRest() }
    switch try? LargeValueColumn(bytes) {
    case .file(let name):
      return [1] + Array(values.scrub(Array(name.text.utf8)).prefix(16))
    case nil where isKnown && !bytes.isEmpty: return scrubRest()
    case .inline, nil: return values.scrub(bytes)
    }
  }

  // MARK: - Property lists

  /// Keeps the keys of the frameworks, with their values if these are of the known form; all others are the app's.
  private mutating func scrub(metadata bytes: [UInt8]) throws -> StoredValue {
    guard bytes.count <= Self.longestPropertyList else {
      throw StoreError.largeProperty(
        path: plan.path, place: "the property list in Z_METADATA", size: bytes.count,
        limit: Self.longestPropertyList)
    }
    guard case .dictionary(let properties)? = try? BinaryPropertyList(bytes).root else {
      return .null
    }
    var scrubbed: [String: PropertyListValue] = [:]
    for (key, value) in properties {
      let isOfFrameworks = StoreMetadata.frameworkKeys.contains(key)
      scrubbed[isOfFrameworks || names == nil ? key : values.scrub(key)] =
        isOfFrameworks ? scrub(value, ofFrameworkKey: key) : scrub(value)
    }
    for (key, value) in names?.versionProperties ?? [:] where scrubbed[key] != nil {
      scrubbed[key] = value
    }
    return (try? BinaryPropertyListWriter.bytes(of: .dictionary(scrubbed))).map(StoredValue.blob)
      ?? .null
  }

  private mutating func scrub(
    _ value: PropertyListValue, ofFrameworkKey key: String
  ) -> PropertyListValue {
    func isBase64(_ count: Int) -> Bool {
      value.string?.utf8.count == count
        && value.string?.wholeMatch(of: #/[A-Za-z0-9+\/]+=*/#) != nil
    }
    let isKnown =
      switch key {
      case "NSStoreType": value.string == "SQLite"
      case "NSPersistenceFrameworkVersion", "NSPersistenceMaximumFrameworkVersion",
        "NSStoreModelVersionHashesVersion":
        value.integer != nil
      case "_NSAutoVacuumLevel": ["0", "1", "2"].contains(value.string)
      case "NSStoreModelVersionIdentifiers": value.array?.allSatisfy { $0.string != nil } ?? false
      case "NSStoreModelVersionHashesDigest": isBase64(88)
      case "NSStoreModelVersionChecksumKey": isBase64(44)
      case "migrationManagerClass":
        ["NSSQLiteInPlaceMigrationManager", "NSMigrationManager"].contains(value.string)
      default: false
      }
    if isKnown { return value }
    switch key {
    case "NSStoreModelVersionHashes": return scrub(hashes: value, of: entityNames)
    case "_NSStoreAncillaryModelVersionHashesMetadataKey":
      let names = ScrubNames.historyNames.union(["NSPersistentHistoryTrackingKey"])
      return scrub(hashes: value, of: names)
    default: return scrub(value)
    }
  }

  /// Keeps the hashes of entities of these names.
  private mutating func scrub(
    hashes value: PropertyListValue, of names: Set<String>
  ) -> PropertyListValue {
    guard case .dictionary(let members) = value else { return scrub(value) }
    var scrubbed: [String: PropertyListValue] = [:]
    for (name, member) in members {
      let isKnown = names.contains(name)
      switch member {
      case .data(let hash) where isKnown && hash.count == 32: scrubbed[name] = member
      case .dictionary where isKnown: scrubbed[name] = scrub(hashes: member, of: names)
      default: scrubbed[isKnown ? name : values.scrub(name)] = scrub(member)
      }
    }
    return .dictionary(scrubbed)
  }

  private var entityNames: Set<String> { Set(snapshot.entities.modelEntries.map(\.name)) }

  private mutating func scrub(_ value: PropertyListValue) -> PropertyListValue {
    switch value {
    case .null, .boolean, .uid: return value
    case .integer(let number): return .integer(values.scrub(number))
    case .unsigned(let number): return .real(values.scrub(Double(number)))
    case .real(let number): return .real(values.scrub(number))
    case .date(let date):
      if case .real(let shifted) = values.shift(.real(date)) { return .date(shifted) }
      return value
    case .data(let bytes): return .data(values.scrub(bytes))
    case .string(let text): return .string(values.scrub(text))
    case .array(let elements):
      var scrubbed: [PropertyListValue] = []
      for element in elements { scrubbed.append(scrub(element)) }
      return .array(scrubbed)
    case .dictionary(let members):
      var scrubbed: [String: PropertyListValue] = [:]
      for (key, member) in members { scrubbed[values.scrub(key)] = scrub(member) }
      return .dictionary(scrubbed)
    }
  }

  /// A token in an archive names the store, whose identifier is replaced; other data is replaced as a
  /// whole.
  private mutating func scrub(token bytes: [UInt8]) -> StoredValue {
    guard case .dictionary(let archive)? = try? PropertyListValue(propertyList: bytes),
      let objects = archive["$objects"]?.array,
      objects.contains(where: { $0.dictionary?["NSPersistentHistoryTokenDictionary"] != nil })
    else { return .blob(values.scrub(bytes)) }
    let scrubbed = archive.filter { Self.wordsOfTokens.contains($0.key) }
      .mapValues { scrub(ofToken: $0) }
    return (try? BinaryPropertyListWriter.bytes(of: .dictionary(scrubbed))).map(StoredValue.blob)
      ?? .blob(values.scrub(bytes))
  }

  /// The keys and texts of an archived token; any other text is the identifier of a store, or nothing that is known.
  private static let wordsOfTokens: Set<String> = [
    "$archiver", "NSKeyedArchiver", "$version", "$top", "root", "$objects", "$null", "$class",
    "$classname", "$classes", "$classhints", "NS.keys", "NS.objects", "NSObject", "NSDictionary",
    "NSMutableDictionary", "NSNumber", "NSPersistentHistoryToken", "_NSPersistentHistoryToken",
    "NSPersistentHistoryTokenDictionary",
  ]

  private mutating func scrub(ofToken value: PropertyListValue) -> PropertyListValue {
    switch value {
    case .string(let text):
      return .string(Self.wordsOfTokens.contains(text) ? text : values.scrub(text))
    case .array(let elements):
      var scrubbed: [PropertyListValue] = []
      for element in elements { scrubbed.append(scrub(ofToken: element)) }
      return .array(scrubbed)
    case .dictionary(let members):
      var scrubbed: [String: PropertyListValue] = [:]
      for (key, member) in members where Self.wordsOfTokens.contains(key) {
        scrubbed[key] = scrub(ofToken: member)
      }
      return .dictionary(scrubbed)
    case .null, .boolean, .uid, .integer, .unsigned: return value
    case .real, .date, .data: return scrub(value)
    }
  }
}

extension StoredValue {
  /// A value of the same type without content.
  fileprivate var emptied: StoredValue {
    switch self {
    case .null: .null
    case .integer: .integer(0)
    case .real: .real(0)
    case .text, .malformedText: .text("")
    case .blob: .blob([])
    }
  }
}
