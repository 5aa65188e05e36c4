import CSQLiteSupport
import GRDB
import GRDBSQLite
import Libc

/// A connection to one state of a store's log, which can be moved to another state.
///
/// SQLite reads the state as a plain database: a VFS shows the pages, without a log, and nothing can be
/// written.
package final class LogState {
  /// The state that is read: 0 is the one before the log, and n the one after its nth commit.
  package private(set) var number: Int

  private let states: LogStates
  private let file: StateFile
  private let queue: DatabaseQueue

  /// Opens a connection.
  ///
  /// - Throws: ``StoreError``, or an error of SQLite.
  package init(_ states: LogStates, at number: Int) throws {
    self.states = states
    self.number = number
    // All of the last state is known.
    file = try StateFile(states, states.count - 1)
    do {
      queue = try StoreConnection.openState(named: file.name)
    } catch {
      file.end()
      throw error
    }
    file.state = number
  }

  deinit {
    // Statements that are still in use keep the connection open, which then needs the file as long as the program runs.
    if (try? queue.close()) != nil { file.end() }
  }

  /// Goes to another state.
  package func move(to number: Int) {
    self.number = number
    file.state = number
  }

  /// Reads the state by SQL; returns `nil` if a part that is needed is not known.
  ///
  /// - Throws: Errors of the closure other than those of SQLite, and ``StoreError/endedSnapshot(path:)``.
  package func read<Result>(_ body: (StatementRunner) throws -> Result) throws -> Result? {
    try inDatabase { try body(StatementRunner($0)) }
  }

  /// Reads the schema; returns `nil` if the state has none, or it is not known.
  ///
  /// - Throws: ``StoreError/endedSnapshot(path:)``.
  package func schema(path: String) throws -> ObjectSchema? {
    try inDatabase { try? ObjectSchema(database: $0, path: path) } ?? nil
  }

  /// Whether a page was needed that is not known.
  package var lacksPages: Bool { file.lacksPages }

  /// Reads the state with a connection; see ``read(_:)``.
  package func inDatabase<Result>(_ body: (Database) throws -> Result) throws -> Result? {
    try states.checkIsOpen()
    do {
      return try queue.inDatabase(body)
    } catch is DatabaseError {
      return nil
    }
  }
}

/// The file that SQLite sees: the pages of one state.
private final class StateFile {
  /// The bytes of the header that SQLite is shown with other values.
  private enum Header {
    static let versions = 18..<20
    static let changeCounter = 24..<28
    static let validFor = 92..<96
  }

  let name: String
  var state: Int
  private(set) var lacksPages = false
  private let states: LogStates
  private let page: UnsafeMutableRawPointer
  private let pageSize: Int
  private let cName: UnsafeMutablePointer<CChar>
  private let made: UnsafeMutablePointer<csqlite_made_file>
  private var vfs: UnsafeMutablePointer<sqlite3_vfs>?

  init(_ states: LogStates, _ state: Int) throws {
    self.states = states
    self.state = state
    pageSize = states.frames.pageSize
    page = .allocate(byteCount: pageSize, alignment: 16)
    // No other file has this memory while SQLite knows the name.
    name = "histctl-state-\(UInt(bitPattern: page))"
    cName = name.withCString { text in
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: strlen(text) + 1)
      strcpy(copy, text)
      return copy
    }
    made = .allocate(capacity: 1)
    made.initialize(
      to: csqlite_made_file(
        owner: nil,
        read: { owner, bytes, count, offset in
          guard let owner, let bytes else { return SQLITE_IOERR }
          return Unmanaged<StateFile>.fromOpaque(owner).takeUnretainedValue()
            .read(UnsafeMutableRawBufferPointer(start: bytes, count: Int(count)), at: offset)
        },
        size: { owner in
          guard let owner else { return 0 }
          return Unmanaged<StateFile>.fromOpaque(owner).takeUnretainedValue().size
        }))
    vfs = csqlite_add_made_file(cName, made)
    guard vfs != nil else { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
    // SQLite reads the file until ``end()``.
    made.pointee.owner = Unmanaged.passRetained(self).toOpaque()
  }

  /// Ends the use by SQLite, which has closed the file.
  func end() {
    guard let vfs else { return }
    csqlite_remove_made_file(vfs)
    self.vfs = nil
    Unmanaged.passUnretained(self).release()
  }

  deinit {
    page.deallocate()
    made.deallocate()
    cName.deallocate()
  }

  /// The size of the state in bytes.
  private var size: Int64 {
    state > 0
      ? Int64(states.frames.commits[state - 1].pageCount) * Int64(pageSize) : sizeBeforeLog
  }

  /// The main file may have grown since; its header tells how long it was.
  private lazy var sizeBeforeLog: Int64 = {
    guard state == 0, read(page: 1) else { return Int64(pageSize) }
    let count = UnsafeRawBufferPointer(start: page, count: pageSize)
      .loadUnaligned(fromByteOffset: 28, as: UInt32.self)
    return Int64(max(1, UInt32(bigEndian: count))) * Int64(pageSize)
  }()

  private func read(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int64) -> CInt {
    let size = size
    guard offset >= 0, offset < size else {
      bytes.initializeMemory(as: UInt8.self, repeating: 0)
      return ResultCode.SQLITE_IOERR_SHORT_READ.rawValue
    }
    let start = Int(offset % Int64(pageSize))
    // SQLite reads whole pages, or a part of the first.
    guard start + bytes.count <= pageSize,
      let number = UInt32(exactly: offset / Int64(pageSize) + 1), read(page: number)
    else {
      lacksPages = true
      return SQLITE_IOERR
    }
    if number == 1 { setHeader() }
    bytes.copyMemory(from: UnsafeRawBufferPointer(start: page + start, count: bytes.count))
    return SQLITE_OK
  }

  /// Reads a page of the state; returns `false` where it is not known.
  private func read(page number: UInt32) -> Bool {
    let last = state == 0 ? 0 : states.frames.commits[state - 1].frameCount
    if let frame = states.frames.frame(ofPage: number, upTo: last) {
      return states.frames.read(frame: frame, into: page) && states.isCurrent
    }
    return states.base.read(knownPage: number, into: page)
  }

  /// Makes the header that of a database without a log. Each state has another change counter, so that
  /// SQLite reads its pages again.
  private func setHeader() {
    let header = UnsafeMutableRawBufferPointer(start: page, count: pageSize)
    for place in Header.versions { header[place] = 1 }
    header.storeBytes(
      of: UInt32(truncatingIfNeeded: state + 1).bigEndian,
      toByteOffset: Header.changeCounter.lowerBound, as: UInt32.self)
    // A number that differs makes SQLite take the number of pages from the size of the file.
    header.storeBytes(of: 0, toByteOffset: Header.validFor.lowerBound, as: UInt32.self)
  }
}
