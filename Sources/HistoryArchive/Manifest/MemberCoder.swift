import HistoryCoding
import PersistentHistory
import StoreFormat

/// Writes the members of a JSON object, or reads them.
///
/// A record lists its members once, each with its name and form, for both directions. The first error of
/// reading is kept until the list ends, and values are not changed after it.
struct MemberCoder {
  /// How a value is written and read.
  struct Form<Value> {
    /// What a value must be, for messages.
    let expected: String
    let read: (JSONValue) -> Value?
    let write: (inout JSONWriter, Value) -> Void
  }

  /// The maximum number of members of an object that is read.
  private static let maxMembers = 1024
  private static let depthLimit = 16

  /// The text between two members.
  var separator: StaticString = ","
  private(set) var writer: JSONWriter
  private let path: String
  /// The text that is read; `nil` to write.
  private let text: UnsafeBufferPointer<UInt8>?
  private var problem: ArchiveError?
  /// The places of the values of the object that is read.
  private var places: [String: Int] = [:]
  /// The member that has the object, for messages.
  private var place = ""
  private var isFirst = true
  /// Takes the text of long arrays, piece by piece.
  private let output: ((ArraySlice<UInt8>) -> Void)?

  /// Creates a coder that writes the members of an object.
  init(capacity: Int = 4096, output: ((ArraySlice<UInt8>) -> Void)? = nil) {
    (path, text) = ("", nil)
    writer = JSONWriter(capacity: capacity)
    self.output = output
  }

  private init(reading text: UnsafeBufferPointer<UInt8>, path: String) {
    (self.path, self.text, output) = (path, text, nil)
    writer = JSONWriter(capacity: 0)
  }

  /// Reads the members of an object. Elements are read one by one, so that memory is bounded whatever the
  /// text holds.
  static func read(
    _ text: [UInt8], path: String, _ code: (inout MemberCoder) -> Void
  ) throws(ArchiveError) {
    let problem = text.withUnsafeBufferPointer { text in
      var coder = MemberCoder(reading: text, path: path)
      var parser = JSONParser(text, depthLimit: depthLimit)
      coder.attempt { coder in
        try coder.read("", &parser, code)
        try parser.expectEnd()
      }
      return coder.problem
    }
    if let problem { throw problem }
  }

  // MARK: - Members

  /// Writes or reads a member that a record may lack.
  mutating func optional<Value>(_ key: String, _ form: Form<Value>, _ value: inout Value?) {
    guard text != nil else { return written(key, form, value) }
    guard let json = json(key) else { return }
    value = form.read(json)
    if value == nil { fail(damaged(key, "it is not \(form.expected)")) }
  }

  /// Writes or reads a member that every record has.
  mutating func required<Value>(_ key: String, _ form: Form<Value>, _ value: inout Value) {
    var read: Value? = value
    optional(key, form, &read)
    if text != nil, places[key] == nil { fail(damaged(key, "it is missing")) }
    if let read { value = read }
  }

  /// Writes a member that is not read, because others say the same.
  mutating func written<Value>(_ key: String, _ form: Form<Value>, _ value: Value?) {
    guard text == nil, let value else { return }
    begin(key)
    form.write(&writer, value)
  }

  /// Writes or reads the number of the schema that the object follows.
  mutating func schema(_ number: inout Int64, in known: ClosedRange<Int64>) {
    required("schema", .integer, &number)
    if !known.contains(number) { fail(.unknownFormat(path: path, schema: number)) }
  }

  /// Writes or reads a member that is an object.
  mutating func object(_ key: String, _ code: (inout MemberCoder) -> Void) {
    guard text != nil else {
      begin(key)
      return write(code)
    }
    attempt { coder in
      guard var parser = coder.parser(at: key) else { throw coder.damaged(key, "it is missing") }
      try coder.read(key, &parser, code)
    }
  }

  /// Writes or reads a member that is an array of objects, one in each line.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of elements.
  ///   - empty: An element to read into.
  ///   - code: Lists the members of an element, given the element before it.
  mutating func elements<Element>(
    _ key: String, limit: Int, _ elements: inout [Element], empty: Element,
    _ code: (inout Element, Element?, inout MemberCoder) -> Void
  ) {
    guard text != nil else {
      begin(key)
      writer.appendRaw("[")
      for (index, element) in elements.enumerated() {
        writer.appendRaw(index == 0 ? "\n" : ",\n")
        var element = element
        write { code(&element, nil, &$0) }
        if writer.count >= 1 << 14 { flush() }
      }
      return writer.appendRaw("]")
    }
    attempt { coder in
      guard var parser = coder.parser(at: key) else { throw coder.damaged(key, "it is missing") }
      guard try parser.enter(JSONParser.array) else { return }
      repeat {
        guard elements.count < limit else {
          throw coder.damaged(key, "there are more than \(limit)")
        }
        var element = empty
        try coder.read(key, &parser) { code(&element, elements.last, &$0) }
        elements.append(element)
      } while try parser.hasNext(in: JSONParser.array)
    }
  }

  /// Checks what was read.
  mutating func check(_ isRight: @autoclosure () -> Bool, _ key: String, _ detail: String) {
    if text != nil, problem == nil, !isRight() { fail(damaged(key, detail)) }
  }

  // MARK: - Writing

  /// Writes text around the members.
  mutating func appendRaw(_ text: StaticString) { writer.appendRaw(text) }

  /// Passes the text that was written to the output.
  mutating func flush() {
    output?(writer.bytes)
    if output != nil { writer.removeAll() }
  }

  private mutating func begin(_ key: String) {
    if isFirst { isFirst = false } else { writer.appendRaw(separator) }
    writer.appendString(key)
    writer.appendRaw(":")
  }

  private mutating func write(_ code: (inout MemberCoder) -> Void) {
    let outer = separator
    (separator, isFirst) = (",", true)
    writer.appendRaw("{")
    code(&self)
    writer.appendRaw("}")
    (separator, isFirst) = (outer, false)
  }

  // MARK: - Reading

  private mutating func fail(_ error: ArchiveError) { problem = problem ?? error }

  private func damaged(_ key: String, _ detail: String) -> ArchiveError {
    .damaged(path: path, place: place.isEmpty ? key : "\(place).\(key)", detail: detail)
  }

  /// Reads something, unless there was a problem before.
  @discardableResult
  private mutating func attempt<Result>(
    _ body: (inout MemberCoder) throws -> Result
  ) -> Result? {
    guard problem == nil else { return nil }
    do {
      return try body(&self)
    } catch let error as ArchiveError {
      fail(error)
    } catch {
      fail(.damaged(path: path, place: "its text", detail: "it is not JSON: \(error)"))
    }
    return nil
  }

  private func parser(at key: String) -> JSONParser? {
    guard let text, let place = places[key] else { return nil }
    return JSONParser(text, at: place, depthLimit: Self.depthLimit)
  }

  private mutating func json(_ key: String) -> JSONValue? {
    guard var parser = parser(at: key) else { return nil }
    return attempt { _ in try parser.value(limit: ArchiveFormat.manifestValueLimit) }
  }

  /// Reads the object that comes next.
  private mutating func read(
    _ key: String, _ parser: inout JSONParser, _ code: (inout MemberCoder) -> Void
  ) throws {
    let outer = (places, place)
    (places, place) = ([:], key)
    if try parser.enter(JSONParser.object) {
      repeat {
        let key = try parser.key()
        guard places.updateValue(parser.position, forKey: key) == nil else {
          throw damaged(key, "it is repeated")
        }
        guard places.count <= Self.maxMembers else {
          throw damaged(key, "there are more than \(Self.maxMembers) members")
        }
        try parser.skipValue()
      } while try parser.hasNext(in: JSONParser.object)
    }
    code(&self)
    if let problem { throw problem }
    (places, place) = outer
  }
}

// MARK: - Forms

extension MemberCoder.Form where Value: FixedWidthInteger {
  static var integer: Self {
    Self(expected: "an integer", read: { $0.integer.flatMap { Value(exactly: $0) } }) {
      $0.appendInteger(Int64($1))
    }
  }

  /// A count, so low that the sum of all counts in a manifest cannot overflow.
  static var count: Self {
    let limit: Int64 = 1 << 44
    return Self(
      expected: "an integer from 0 to \(limit)",
      read: { json in
        json.integer.flatMap { (0...limit).contains($0) ? Value(exactly: $0) : nil }
      }, write: { $0.appendInteger(Int64($1)) })
  }
}

extension MemberCoder.Form<String> {
  static var string: Self { Self(expected: "a string", read: \.text) { $0.appendString($1) } }
}

extension MemberCoder.Form<ArchiveDigest> {
  static var digest: Self {
    Self(
      expected: "a SHA-256 digest",
      read: { $0.text.flatMap(ArchiveDigest.init(hexadecimal:)) },
      write: { $0.appendString($1.description) })
  }
}

extension MemberCoder.Form<StoreTimestamp> {
  static var time: Self {
    Self(expected: "a number", read: { StoreTimestamp(raw: $0) }) {
      $0.append(raw: $1.secondsSinceReferenceDate)
    }
  }
}

extension MemberCoder.Form {
  /// An array of pairs of a name and a value.
  static func pairs<Element>(
    read: @escaping (String, JSONValue) -> Element?, write: @escaping (Element) -> [JSONValue]
  ) -> Self where Value == [Element] {
    list(
      of: "pairs",
      read: { json in
        guard case .array(let pair) = json, pair.count == 2, let name = pair[0].text else {
          return nil
        }
        return read(name, pair[1])
      }, write: { .array(write($0)) })
  }

  fileprivate static func list<Element>(
    of kind: String, read: @escaping (JSONValue) -> Element?,
    write: @escaping (Element) -> JSONValue
  ) -> Self where Value == [Element] {
    Self(
      expected: "an array of at most \(ArchiveFormat.maxSlots) \(kind)",
      read: { json in
        guard case .array(let values) = json, values.count <= ArchiveFormat.maxSlots else {
          return nil
        }
        let elements = values.compactMap(read)
        return elements.count == values.count ? elements : nil
      }, write: { $0.append(.array($1.map(write))) })
  }
}

extension MemberCoder.Form<[String]> {
  static var strings: Self { list(of: "strings", read: \.text, write: JSONValue.string) }
}
