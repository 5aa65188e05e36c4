import HistoryCoding
import PersistentHistory
import StoreFormat
import Synchronization

/// Reads runs of frames of one segment and compares them with its manifest; one thread's share of it.
final class FrameRunInspection {
  /// Long lines are read by one thread at a time, since each may take much memory.
  private static let longLine = Mutex(())

  private let reader: SegmentReader
  private lazy var check = CanonicalLineCheck(
    store: reader.manifest.store, schema: reader.schema)
  private let limit: Int

  init(path: String, manifest: SegmentManifest, limit: Int) throws(ArchiveError) {
    reader = try SegmentReader(path: path, manifest: manifest)
    self.limit = limit
  }

  /// Reads some frames, of which the first begins with a line.
  func inspect(_ frames: Range<Int>) -> FrameRunFacts {
    var facts = FrameRunFacts(findings: FindingLog(limit: limit))
    var index = frames.lowerBound
    while index < frames.upperBound {
      let group = reader.frames(from: index)
      inspect(group: group, &facts)
      index = group.upperBound
    }
    facts.counts = check.takeCounts()
    return facts
  }

  /// Reads a frame of whole lines, or all those of a long line.
  private func inspect(group: Range<Int>, _ facts: inout FrameRunFacts) {
    let index = group.lowerBound
    var own = FrameRunFacts(findings: FindingLog(limit: limit))
    do {
      if group.count == 1 {
        try readLines(of: index, &own)
      } else {
        try Self.longLine.withLock { _ in try readLongLine(of: group, &own) }
      }
    } catch {
      own.isComplete = false
      add(error, group, &own)
    }
    facts.findings.add(own.findings)
    facts.textByteCount += own.textByteCount
    facts.isComplete = facts.isComplete && own.isComplete
    if own.isComplete { compare(own, with: index, &facts) }
    merge(own, into: &facts)
  }

  private func merge(_ own: FrameRunFacts, into facts: inout FrameRunFacts) {
    if let first = own.first, let last = facts.last, first.number <= last.number {
      facts.findings.add(
        .damagedLine, at: .file(reader.path),
        "transaction \(first.number) stands behind transaction \(last.number)")
    }
    if facts.first == nil { facts.first = own.first }
    facts.last = own.last ?? facts.last
    facts.transactionCount += own.transactionCount
    if let times = own.times {
      facts.times =
        facts.times.map {
          min($0.lowerBound, times.lowerBound)...max($0.upperBound, times.upperBound)
        } ?? times
    }
  }

  // MARK: - Reading

  private func readLines(of index: Int, _ facts: inout FrameRunFacts) throws {
    let text = try reader.text(ofFrame: index)
    facts.textByteCount += Int64(text.count)
    try text.withUnsafeBufferPointer { text in
      try check.check(lines: text) { try note($0, &facts) }
    }
  }

  private func readLongLine(of group: Range<Int>, _ facts: inout FrameRunFacts) throws {
    var rest = group.dropFirst()
    let first = try reader.text(ofFrame: group.lowerBound)
    facts.textByteCount += Int64(first.count)
    var parts = LineParts(first[...])
    func more() throws(ArchiveError) -> ArraySlice<UInt8>? {
      guard let next = rest.popFirst() else { return nil }
      let text = try reader.text(ofFrame: next)
      facts.textByteCount += Int64(text.count)
      return text[...]
    }
    try note(try check.check(closedHead: parts.takeHead(more)), &facts)
    while try parts.takeChange(more, { try check.check(change: $0) }) != nil {}
    guard rest.isEmpty else {
      throw LineParts.Problem(detail: "text stands behind the end of a long line")
    }
  }

  private func note(_ head: CanonicalLineCheck.Head, _ facts: inout FrameRunFacts) throws {
    guard reader.manifest.range.contains(head.number) else {
      throw LineParts.Problem(
        detail: "transaction \(head.number) does not belong into this segment")
    }
    if let last = facts.last, head.number <= last.number {
      throw LineParts.Problem(
        detail: "transaction \(head.number) stands behind transaction \(last.number)")
    }
    facts.add(TransactionPosition(number: head.number, timestamp: head.timestamp))
  }

  private func add(_ error: any Error, _ group: Range<Int>, _ facts: inout FrameRunFacts) {
    let place = FindingPlace.frame(group.lowerBound + 1, file: reader.path)
    switch error {
    case let problem as CanonicalLineCheck.Problem:
      let line = problem.transaction.map { "at transaction \($0): " } ?? ""
      facts.findings.add(.damagedLine, at: place, line + problem.detail)
    case let problem as LineParts.Problem:
      facts.findings.add(.damagedLine, at: place, problem.detail)
    case ArchiveError.damaged(_, let part, let detail):
      // The place says already which frame it is.
      let own = "frame \(group.lowerBound + 1) "
      let rest = part.hasPrefix(own) ? String(part.dropFirst(own.count)) : part
      facts.findings.add(.damagedFrame, at: place, "\(rest): \(detail)")
    case let error as ArchiveError:
      facts.findings.add(.unreadableFile, at: place, error.message)
    default: facts.findings.add(.damagedFrame, at: place, "\(error)")
    }
  }

  // MARK: - Comparing

  /// Compares a frame with what the manifest says of it.
  private func compare(_ own: FrameRunFacts, with index: Int, _ facts: inout FrameRunFacts) {
    let frame = reader.manifest.frames[index]
    func add(_ what: String) {
      facts.findings.add(
        .contradictedManifest, at: .frame(index + 1, file: reader.path),
        "the manifest says otherwise of \(what)")
    }
    if own.first?.number != frame.transaction { add("its first transaction") }
    if own.first?.timestamp != frame.timestamp { add("when its first transaction was saved") }
    if own.times?.upperBound != frame.latest { add("its latest time") }
    if own.transactionCount != Int64(frame.transactionCount) { add("how many transactions it has") }
  }
}
