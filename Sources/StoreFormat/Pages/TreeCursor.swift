/// Steps through the records of one b-tree in order.
///
/// A page that contradicts the file format ends the reading with
/// ``StoreError/damaged(path:place:detail:)``, and a cancellation with ``StoreError/cancelled(path:)``.
struct TreeCursor {
  /// The b-tree to read, with its names for errors.
  struct Tree {
    let root: UInt32
    /// Whether it is a table with row numbers, or an index.
    let isTable: Bool
    /// The table.
    let name: String
    /// The path of the store.
    let path: String
  }

  /// A tree of the largest file has fewer levels.
  private static let maxLevels = 20

  private struct Level {
    let buffer: PageBuffer
    let page: TreePage
    /// In a leaf the next cell; above it the next child, and after each child the cell between.
    var next = 0
    var isCellDue = false
  }

  private let source: PageSource
  private let tree: Tree
  private var levels: [Level] = []
  private var spares: [PageBuffer] = []
  /// The current leaf.
  private var leaf: TreePage?
  private var nextCell = 0

  /// Goes before the first record that is not before a place.
  ///
  /// - Parameter isBefore: Whether a place in the tree is before the one looked for: of a table by
  ///   the row number, of an index by the record.
  init(_ source: PageSource, _ tree: Tree, isBefore: (TreeRecord) throws -> Bool) throws {
    self.source = source
    self.tree = tree
    try descend(to: tree.root, isBefore)
  }

  /// Returns the next record, or `nil` after the last one.
  @inline(__always)
  mutating func next() throws -> TreeRecord? {
    while true {
      if let leaf, nextCell < leaf.cellCount {
        guard let offset = leaf.cell(nextCell), let record = leaf.record(ofCellAt: offset) else {
          throw damage(leaf)
        }
        nextCell &+= 1
        return record
      }
      if let record = try leaveLeaf() { return record }
      if leaf == nil { return nil }
    }
  }

  private func damage(_ page: TreePage) -> StoreError { damage(page.number) }

  private func damage(_ page: UInt32) -> StoreError {
    .damaged(
      path: tree.path, place: tree.name,
      detail: "page \(page) of its \(tree.isTable ? "rows" : "index") cannot be read")
  }

  /// Goes to the next leaf, or to the record of an index between two leaves.
  private mutating func leaveLeaf() throws -> TreeRecord? {
    if leaf != nil {
      leaf = nil
      spares.append(levels.removeLast().buffer)
    }
    while let level = levels.last {
      let page = level.page
      let last = levels.count - 1
      if level.isCellDue {
        levels[last].isCellDue = false
        guard let offset = page.cell(level.next - 1), let record = page.record(ofCellAt: offset)
        else { throw damage(page) }
        return record
      }
      guard level.next <= page.cellCount else {
        spares.append(levels.removeLast().buffer)
        continue
      }
      let child = try child(level.next, of: page)
      levels[last].next += 1
      levels[last].isCellDue = !tree.isTable && level.next < page.cellCount
      try descend(to: child) { _ in false }
      return nil
    }
    return nil
  }

  /// Goes down to a leaf, and in each page past everything before the place looked for.
  private mutating func descend(to root: UInt32, _ isBefore: (TreeRecord) throws -> Bool) throws {
    var number = root
    if let cancellation = source.cancellation, cancellation.isCancelled {
      throw StoreError.cancelled(path: tree.path)
    }
    while true {
      guard levels.count < Self.maxLevels else { throw damage(number) }
      let buffer = spares.popLast() ?? PageBuffer(source)
      guard let page = TreePage(buffer, reading: number, of: source),
        page.kind.isTable == tree.isTable
      else { throw damage(number) }
      let index = try place(in: page, isBefore)
      var level = Level(buffer: buffer, page: page)
      if page.kind.isLeaf {
        // Only a tree without any record has an empty leaf.
        guard page.cellCount > 0 || levels.isEmpty else { throw damage(page) }
        levels.append(level)
        leaf = page
        nextCell = index
        return
      }
      level.next = index + 1
      level.isCellDue = !tree.isTable && index < page.cellCount
      levels.append(level)
      number = try child(index, of: page)
    }
  }

  private func child(_ index: Int, of page: TreePage) throws -> UInt32 {
    guard index < page.cellCount else { return page.lastChild }
    guard let offset = page.cell(index) else { throw damage(page) }
    return page.child(ofCellAt: offset)
  }

  /// Returns how many cells of a page are before the place looked for.
  private func place(in page: TreePage, _ isBefore: (TreeRecord) throws -> Bool) throws -> Int {
    try (0..<page.cellCount).partitioningIndex { index in
      guard let offset = page.cell(index), let record = page.record(ofCellAt: offset) else {
        throw damage(page)
      }
      return try !isBefore(record)
    }
  }
}
