/// Goes through the records of one b-tree in order.
///
/// A page that is not what it should be ends the reading with ``RowsOutOfOrder``: whoever reads this
/// way asks SQLite then, which says what is wrong.
final class TreeCursor {
  /// A tree of the largest file has fewer levels.
  private static let mostLevels = 20

  private struct Level {
    let buffer: PageBuffer
    let page: TreePage
    /// In a leaf the next cell; above it the next child, and behind each child the cell between.
    var next = 0
    var isCellDue = false
  }

  private let file: PageFile
  private let isTable: Bool
  private var levels: [Level] = []
  private var spares: [PageBuffer] = []
  // The leaf that is gone through.
  @exclusivity(unchecked) private var leaf: TreePage?
  @exclusivity(unchecked) private var nextCell = 0

  /// Goes before the first record that is not before a place.
  ///
  /// - Parameters:
  ///   - root: The number of the tree's first page.
  ///   - isTable: Whether it is a table with row numbers, or an index.
  ///   - isBefore: Whether a place in the tree is before the one looked for: of a table by the row
  ///     number, of an index by the record.
  init(
    _ file: PageFile, root: UInt32, isTable: Bool, isBefore: (TreeRecord) throws -> Bool
  ) throws {
    self.file = file
    self.isTable = isTable
    try descend(to: root, isBefore)
  }

  /// The next record; `nil` after the last one.
  @inline(__always)
  func next() throws -> TreeRecord? {
    while true {
      if let leaf, nextCell < leaf.cellCount {
        guard let offset = leaf.cell(nextCell), let record = leaf.record(ofCellAt: offset) else {
          throw RowsOutOfOrder()
        }
        nextCell &+= 1
        return record
      }
      if let record = try leaveLeaf() { return record }
      if leaf == nil { return nil }
    }
  }

  /// Goes to the next leaf, or to the record of an index between two leaves.
  private func leaveLeaf() throws -> TreeRecord? {
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
        else { throw RowsOutOfOrder() }
        return record
      }
      guard level.next <= page.cellCount else {
        spares.append(levels.removeLast().buffer)
        continue
      }
      let child = try child(level.next, of: page)
      levels[last].next += 1
      levels[last].isCellDue = !isTable && level.next < page.cellCount
      try descend(to: child) { _ in false }
      return nil
    }
    return nil
  }

  /// Goes down to a leaf, and in each page past all that is before the place looked for.
  private func descend(to root: UInt32, _ isBefore: (TreeRecord) throws -> Bool) throws {
    var number = root
    while true {
      guard levels.count < Self.mostLevels else { throw RowsOutOfOrder() }
      let buffer = spares.popLast() ?? PageBuffer(file)
      guard let page = TreePage(buffer, reading: number, of: file), page.kind.isTable == isTable
      else { throw RowsOutOfOrder() }
      let index = try place(in: page, isBefore)
      var level = Level(buffer: buffer, page: page)
      if page.kind.isLeaf {
        // Only a tree without any record has an empty leaf.
        guard page.cellCount > 0 || levels.isEmpty else { throw RowsOutOfOrder() }
        levels.append(level)
        leaf = page
        nextCell = index
        return
      }
      level.next = index + 1
      level.isCellDue = !isTable && index < page.cellCount
      levels.append(level)
      number = try child(index, of: page)
    }
  }

  private func child(_ index: Int, of page: TreePage) throws -> UInt32 {
    guard index < page.cellCount else { return page.lastChild }
    guard let offset = page.cell(index) else { throw RowsOutOfOrder() }
    return page.child(ofCellAt: offset)
  }

  /// How many cells of a page are before the place looked for.
  private func place(in page: TreePage, _ isBefore: (TreeRecord) throws -> Bool) throws -> Int {
    var range = 0..<page.cellCount
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      guard let offset = page.cell(middle) else { throw RowsOutOfOrder() }
      guard let record = page.record(ofCellAt: offset) else { throw RowsOutOfOrder() }
      range = try isBefore(record) ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }
}
