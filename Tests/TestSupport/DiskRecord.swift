#if os(Linux)
import Foundation
import Libc

/// Everything that a program did to the files in a folder, in order, and what a loss of power leaves of it.
package struct DiskRecord: Sendable {
  /// A change of a file, a folder or a name. Files and folders have numbers; that of the whole folder is 0.
  package enum Change: Sendable {
    case add(Int, folder: Int, name: String)
    case move(Int, folder: Int, name: String, toFolder: Int, newName: String)
    case remove(folder: Int, name: String)
    case write(Int, offset: Int, bytes: [UInt8])
    case truncate(Int, length: Int)
    case synchronize(Int)
  }

  /// What survives of the changes that the disk was not asked to keep.
  package enum Order: String, CaseIterable, Sendable {
    /// Nothing.
    case strict
    /// All changes of names up to some moment, as with a journal of the file system, and any part of what was
    /// written.
    case ordered
    /// Everything, as when the program is killed.
    case everything
  }

  /// The content of the folder: files by their paths, and the paths of all folders.
  package struct State: Sendable {
    package var files: [String: [UInt8]] = [:]
    package var folders: [String] = []
    /// For each further path of a file, the first one.
    package var links: [String: String] = [:]
  }

  private struct Node: Sendable {
    var names: [String: Int]?
    var bytes: [UInt8] = []
  }

  private var nodes: [Node] = []
  package private(set) var changes: [Change] = []
  /// The numbers of files and folders, by those that the file system gives them.
  private var numbers: [Int64: Int] = [:]

  /// Begins with what is in a folder.
  init(startingWith folder: String) throws { _ = try add(folder) }

  private mutating func add(_ path: String) throws -> Int {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    let number = nodes.count
    numbers[Int64(status.st_ino)] = number
    if status.st_mode & S_IFMT == S_IFDIR {
      nodes.append(Node(names: [:]))
      for name in try FileManager.default.contentsOfDirectory(atPath: path) {
        let child = try add(path + "/" + name)
        nodes[number].names?[name] = child
      }
    } else {
      nodes.append(Node(bytes: try FileBytes.read(path)))
    }
    return number
  }

  /// Reads what `fault_at_call.c` recorded.
  mutating func read(_ record: [UInt8]) {
    var place = 0
    while place + 57 <= record.count {
      let fields = (0..<7).map { field in
        let start = place + 1 + field * 8
        return record[start..<start + 8].reversed().reduce(0) { $0 << 8 | Int64($1) }
      }
      var end = place + 57
      let parts = fields[4...].map { length in
        defer { end += Int(length) }
        return Array(record[end..<end + Int(length)])
      }
      read(record[place], fields, parts)
      place = end
    }
  }

  private mutating func read(_ kind: UInt8, _ fields: [Int64], _ parts: [[UInt8]]) {
    let name = String(decoding: parts[0], as: UTF8.self)
    let newName = String(decoding: parts[1], as: UTF8.self)
    if kind == UInt8(ascii: "c") || kind == UInt8(ascii: "d") {
      // A number of the file system may be that of a file which is gone.
      numbers[fields[0]] = nodes.count
      nodes.append(Node(names: kind == UInt8(ascii: "d") ? [:] : nil))
    }
    // Without one, it is outside the folder.
    let (node, folder, other) = (numbers[fields[0]], numbers[fields[1]], numbers[fields[2]])
    switch (Character(Unicode.Scalar(kind)), node, folder, other) {
    case ("c", let node?, let folder?, _), ("d", let node?, let folder?, _):
      changes.append(.add(node, folder: folder, name: name))
    case ("l", let node?, _, let folder?):
      changes.append(.add(node, folder: folder, name: newName))
    case ("r", let node?, let folder?, let other?):
      changes.append(
        .move(node, folder: folder, name: name, toFolder: other, newName: newName))
    case ("u", _, let folder?, _): changes.append(.remove(folder: folder, name: name))
    case ("w", let node?, _, _):
      changes.append(.write(node, offset: Int(fields[3]), bytes: parts[2]))
    case ("t", let node?, _, _): changes.append(.truncate(node, length: Int(fields[3])))
    case ("s", let node?, _, _): changes.append(.synchronize(node))
    default: break
    }
  }

  /// The number of times that the program waited for the disk.
  package var syncCount: Int {
    changes.count { if case .synchronize = $0 { true } else { false } }
  }

  // MARK: - A loss of power

  /// Returns what the folder can be after a loss of power.
  ///
  /// - Parameters:
  ///   - count: The number of changes before it.
  ///   - order: What survives.
  ///   - random: Chooses among the possible states.
  package func state(
    after count: Int, _ order: Order, _ random: inout SeededGenerator
  ) -> State {
    var lastSync: [Int: Int] = [:]
    for index in 0..<count {
      if case .synchronize(let node) = changes[index] { lastSync[node] = index }
    }
    let isSafe = (0..<count).map { index in
      changes[index].place.map { lastSync[$0] ?? -1 > index } ?? false
    }
    let lastSafeName = (0..<count).last { isSafe[$0] && changes[$0].isOfName } ?? -1
    let namesEnd = Int.random(in: lastSafeName + 1...count, using: &random)
    let bytesEnd = Int.random(in: 0...count, using: &random)
    // Out of four writes that are not safe, how many survive, or 5 for those before a moment.
    let share = Int.random(in: 0...5, using: &random)
    var nodes = nodes
    for index in 0..<count {
      let change = changes[index]
      let survives =
        switch order {
        case .strict: isSafe[index]
        case .everything: true
        case .ordered where change.isOfName: isSafe[index] || index < namesEnd
        case .ordered where share == 5: isSafe[index] || index < bytesEnd
        case .ordered: isSafe[index] || Int.random(in: 0..<4, using: &random) < share
        }
      guard survives else { continue }
      // A disk writes a sector or does not.
      let isTorn =
        order == .ordered && !isSafe[index] && Int.random(in: 0..<8, using: &random) == 0
      Self.apply(isTorn ? change.torn : change, to: &nodes)
    }
    var state = State()
    var paths: [Int: String] = [:]
    Self.add(0, "", nodes, to: &state, &paths)
    return state
  }

  private static func apply(_ change: Change, to nodes: inout [Node]) {
    switch change {
    case .add(let node, let folder, let name): nodes[folder].names?[name] = node
    case .move(let node, let folder, let name, let target, let newName):
      if nodes[folder].names?[name] == node { nodes[folder].names?[name] = nil }
      nodes[target].names?[newName] = node
    case .remove(let folder, let name): nodes[folder].names?[name] = nil
    case .write(let node, let offset, let bytes):
      let missing = offset + bytes.count - nodes[node].bytes.count
      if missing > 0 { nodes[node].bytes += [UInt8](repeating: 0, count: missing) }
      nodes[node].bytes.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    case .truncate(let node, let length):
      let missing = length - nodes[node].bytes.count
      if missing > 0 { nodes[node].bytes += [UInt8](repeating: 0, count: missing) }
      nodes[node].bytes.removeLast(max(0, -missing))
    case .synchronize: break
    }
  }

  private static func add(
    _ node: Int, _ path: String, _ nodes: [Node], to state: inout State,
    _ paths: inout [Int: String]
  ) {
    guard let names = nodes[node].names else {
      state.files[path] = nodes[node].bytes
      if let first = paths[node] { state.links[path] = first } else { paths[node] = path }
      return
    }
    if !path.isEmpty { state.folders.append(path) }
    for (name, child) in names {
      add(child, path.isEmpty ? name : path + "/" + name, nodes, to: &state, &paths)
    }
  }
}

extension DiskRecord.Change {
  /// The file or folder that must be synced for the change to be safe.
  fileprivate var place: Int? {
    switch self {
    case .add(_, let folder, _), .remove(let folder, _): folder
    case .move(_, _, _, let folder, _): folder
    case .write(let node, _, _), .truncate(let node, _): node
    case .synchronize: nil
    }
  }

  fileprivate var isOfName: Bool {
    switch self {
    case .add, .move, .remove: true
    case .write, .truncate, .synchronize: false
    }
  }

  /// The first sectors of a write; any other change as it is.
  fileprivate var torn: Self {
    guard case .write(let node, let offset, let bytes) = self else { return self }
    return .write(node, offset: offset, bytes: Array(bytes.prefix(bytes.count / 1024 * 512)))
  }
}
#endif
