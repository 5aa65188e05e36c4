import Foundation
import StoreFormat

/// The pages of the b-trees of a store, to spoil one as a fault of a disk would.
///
/// SQLite reads most of what is made here without an error. The layout is that of
/// <https://www.sqlite.org/fileformat2.html#b_tree_pages>.
package struct TreePages {
  /// A way to spoil a page.
  package enum Fault: String, CaseIterable, Sendable {
    /// Entries or rows are lost.
    case lostCells
    /// Every second entry or row is lost.
    case everySecondCell
    /// Two cells are exchanged.
    case exchangedCells
    /// A bit is flipped.
    case flippedBit
    /// A page above others lost one of them.
    case lostChild
    /// A page above others names one of them twice.
    case repeatedChild
  }

  package private(set) var bytes: [UInt8]
  private let pageSize: Int
  /// The pages of each table and index, by name.
  private var pages: [String: [Int]] = [:]

  /// Reads the pages of the history's tables and indexes.
  ///
  /// - Parameter path: The store, without a log.
  package init(path: String) throws {
    bytes = try FileBytes.read(path)
    let size = Int(bytes[16]) << 8 | Int(bytes[17])
    pageSize = size == 1 ? 65_536 : size
    let roots = try StoreQuery(path: path).rows(
      """
      SELECT name, rootpage FROM sqlite_master WHERE rootpage > 0
        AND tbl_name IN ('ACHANGE', 'ATRANSACTION', 'ATRANSACTIONSTRING') ORDER BY name
      """)
    for case let row in roots {
      guard case .text(let name) = row[0], case .integer(let root) = row[1] else { continue }
      pages[name] = tree(Int(root))
    }
  }

  /// Spoils a page of a tree, and returns what was done; `nil` where that is not possible.
  package mutating func spoil(
    _ fault: Fault, _ random: inout SeededGenerator
  ) -> String? {
    let isIndexOnly = fault == .flippedBit
    let names = pages.keys.sorted().filter {
      !isIndexOnly || !$0.hasPrefix("A") || $0.contains("_")
    }
    // The index that every search for changes uses.
    let weighted =
      names + names.filter { $0.hasPrefix("ACHANGE_") } + names.filter { $0.hasPrefix("ACHANGE_") }
    guard let name = weighted.randomElement(using: &random) else { return nil }
    let candidates = (pages[name] ?? []).filter { page in
      switch fault {
      case .flippedBit: true
      case .lostCells, .everySecondCell: isLeaf(page) && cellCount(page) > 1
      case .exchangedCells: cellCount(page) > 1
      case .lostChild, .repeatedChild: !isLeaf(page) && cellCount(page) > 1
      }
    }
    guard let page = candidates.randomElement(using: &random) else { return nil }
    let place = "\(fault) in page \(page) of \(name)"
    let count = cellCount(page)
    switch fault {
    case .lostCells:
      let first = Int.random(in: 0..<count, using: &random)
      let length = [1, 3, 20, 200].randomElement(using: &random) ?? 1
      let lost = first..<min(count, first + length)
      keep(page) { !lost.contains($0) }
      return "\(place), cells \(lost)"
    case .everySecondCell:
      keep(page) { $0 % 2 == 0 }
      return place
    case .exchangedCells:
      let first = Int.random(in: 0..<count, using: &random)
      let second = (first + Int.random(in: 1..<count, using: &random)) % count
      for byte in 0..<2 {
        bytes.swapAt(pointer(page, first) + byte, pointer(page, second) + byte)
      }
      return "\(place), cells \(first) and \(second)"
    case .flippedBit:
      let used = word(start(page) + 5)
      let isHeader = Int.random(in: 0..<3, using: &random) == 0
      let offset =
        isHeader
        ? Int.random(in: 0..<pointer(page, count) - start(page), using: &random)
        : Int.random(in: min(used == 0 ? 65_535 : used, pageSize - 1)..<pageSize, using: &random)
      let bit = UInt8.random(in: 0..<8, using: &random)
      bytes[start(page) + offset] ^= 1 << bit
      return "\(place), bit \(bit) of byte \(offset)"
    case .lostChild:
      let lost = Int.random(in: 0...count, using: &random)
      if lost == count {
        let last = child(page, count - 1)
        write(last, at: start(page) + 8)
      }
      keep(page) { $0 != min(lost, count - 1) }
      return "\(place), child \(lost)"
    case .repeatedChild:
      let first = Int.random(in: 0...count, using: &random)
      let second = (first + Int.random(in: 1...count, using: &random)) % (count + 1)
      write(child(page, second), at: childPlace(page, first))
      return "\(place), children \(first) and \(second)"
    }
  }

  // MARK: - Pages

  private func start(_ page: Int) -> Int { (page - 1) * pageSize }
  private func isLeaf(_ page: Int) -> Bool { bytes[start(page)] & 8 != 0 }
  private func word(_ place: Int) -> Int { Int(bytes[place]) << 8 | Int(bytes[place + 1]) }
  private func cellCount(_ page: Int) -> Int { word(start(page) + 3) }

  private func pointer(_ page: Int, _ cell: Int) -> Int {
    start(page) + (isLeaf(page) ? 8 : 12) + 2 * cell
  }

  private func childPlace(_ page: Int, _ index: Int) -> Int {
    index == cellCount(page) ? start(page) + 8 : start(page) + word(pointer(page, index))
  }

  private func child(_ page: Int, _ index: Int) -> Int {
    let place = childPlace(page, index)
    return word(place) << 16 | word(place + 2)
  }

  private mutating func write(_ page: Int, at place: Int) {
    for byte in 0..<4 { bytes[place + byte] = UInt8(truncatingIfNeeded: page >> (24 - 8 * byte)) }
  }

  private mutating func keep(_ page: Int, _ isKept: (Int) -> Bool) {
    let count = cellCount(page)
    let kept = (0..<count).filter(isKept)
    let pointers = kept.flatMap { [bytes[pointer(page, $0)], bytes[pointer(page, $0) + 1]] }
    bytes.replaceSubrange(pointer(page, 0)..<pointer(page, kept.count), with: pointers)
    bytes[start(page) + 3] = UInt8(kept.count >> 8)
    bytes[start(page) + 4] = UInt8(kept.count & 0xff)
  }

  private func tree(_ page: Int) -> [Int] {
    guard !isLeaf(page) else { return [page] }
    return [page] + (0...cellCount(page)).flatMap { tree(child(page, $0)) }
  }
}
