import CSQLiteSupport
import GRDBSQLite
import Libc

/// The pages of a store's main file as they were before the first commit of its log.
///
/// A checkpoint writes pages of the log into the main file. For each page that it may have written, the page
/// before the log is not known.
///
/// - The wal-index of a store in use counts the frames that checkpoints may have begun to move.
/// - A page that equals none of its frames has not been overwritten. This assumes that a page is written as
///   a whole.
/// - A checkpoint writes pages in ascending order: of each page the last frame in the log, unless that frame
///   comes after the end of the checkpoint, which a reader may have set to an earlier commit. So a page that
///   equals a frame has not been overwritten if each checkpoint that could have written this frame would
///   have written an earlier page first, and that page shows that it did not.
final class BasePages {
  /// What the main file holds in the place of a page.
  fileprivate struct Comparison {
    /// The frames that are equal to it, in order.
    var equal: [UInt32] = []
    var frames: [UInt32] = []
  }

  /// The maximum number of comparisons of pages with commits.
  private static let maxSteps = 1 << 24
  /// The maximum number of frames with which one page is compared.
  private static let maxFramesOfPage = 4096
  /// The maximum number of frames of a log of which all are compared.
  private static let maxFrames = 1 << 17

  private let file: UnsafeMutablePointer<sqlite3_file>
  private let frames: LogFrames
  private let isComplete: () -> Bool
  private let attemptedFrameCount: () -> UInt32
  private let buffer: UnsafeMutableRawPointer
  /// All pages with frames, compared when a page is first found that equals one of its frames; empty where
  /// the order of pages shows nothing.
  private lazy var comparisons = compareAll()
  private var steps = 0

  /// - Parameters:
  ///   - file: The main file.
  ///   - frames: The frames of the log.
  ///   - isComplete: Returns whether the log has no later frames.
  ///   - attemptedFrameCount: Returns the maximum number of frames that checkpoints have begun to move.
  init(
    _ file: UnsafeMutablePointer<sqlite3_file>, _ frames: LogFrames,
    isComplete: @escaping () -> Bool, attemptedFrameCount: @escaping () -> UInt32
  ) {
    self.file = file
    self.frames = frames
    self.isComplete = isComplete
    self.attemptedFrameCount = attemptedFrameCount
    buffer = .allocate(byteCount: frames.pageSize, alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// Reads a page as it was before the log; returns `false` where that is not known.
  func read(knownPage page: UInt32, into content: UnsafeMutableRawPointer) -> Bool {
    guard read(page, into: content) else { return false }
    // Asked after reading: the number is raised before a page is written.
    let attempted = attemptedFrameCount()
    let own = frames.frames(ofPage: page)
    guard let first = own.first, first < attempted else { return true }
    guard own.count <= Self.maxFramesOfPage else { return false }
    let comparison = compare(page, content)
    guard !comparison.equal.isEmpty else { return true }
    // Equal frames are equal contents, so this is what the page held when all were compared.
    guard let index = index(of: page), comparisons[index].comparison.equal == comparison.equal
    else { return false }
    return !mayBeOverwritten(index)
  }

  /// The number of frames after which every state is known: by then, each page that may be overwritten has
  /// a frame.
  lazy var knownFrom: UInt32 = {
    let attempted = attemptedFrameCount()
    guard attempted > 0 else { return 0 }
    guard !comparisons.isEmpty else { return .max }
    return comparisons.indices.reduce(0) { known, index in
      let comparison = comparisons[index].comparison
      guard let first = comparison.frames.first, first >= known, first < attempted,
        !comparison.equal.isEmpty,
        mayBeOverwritten(index)
      else { return known }
      return first + 1
    }
  }()

  private func read(_ page: UInt32, into content: UnsafeMutableRawPointer) -> Bool {
    let offset = Int64(page - 1) * Int64(frames.pageSize)
    return csqlite_read(file, content, CInt(frames.pageSize), offset) == SQLITE_OK
  }

  private func compareAll() -> [(page: UInt32, comparison: Comparison)] {
    guard frames.count <= Self.maxFrames else { return [] }
    let content = UnsafeMutableRawPointer.allocate(byteCount: frames.pageSize, alignment: 16)
    defer { content.deallocate() }
    let comparisons = frames.pages.map { page in
      (page, compare(page, read(page, into: content) ? content : nil))
    }
    // A checkpoint leaves out pages with later frames, which are not in the list.
    return isComplete() ? comparisons : []
  }

  /// - Parameter content: The content of a page; `nil` if it cannot be read, and shows nothing.
  private func compare(_ page: UInt32, _ content: UnsafeMutableRawPointer?) -> Comparison {
    var comparison = Comparison()
    for frame in frames.frames(ofPage: page) {
      comparison.frames.append(frame)
      guard let content, frames.read(frame: frame, into: buffer),
        memcmp(buffer, content, frames.pageSize) != 0
      else {
        comparison.equal.append(frame)
        continue
      }
    }
    return comparison
  }

  private func index(of page: UInt32) -> Int? {
    let index = comparisons.partitioningIndex { $0.page >= page }
    return index < comparisons.count && comparisons[index].page == page ? index : nil
  }

  /// Whether some checkpoint could have written one of the frames that the page is equal to.
  private func mayBeOverwritten(_ index: Int) -> Bool {
    let comparison = comparisons[index].comparison
    for frame in comparison.equal {
      let next = comparison.frames.first { $0 > frame }
      // The checkpoint ended at one of these commits; the log went on at most to the last of them.
      let first = frames.commits.partitioningIndex { $0.frameCount > frame }
      let end =
        next.map { next in frames.commits.partitioningIndex { $0.frameCount > next } }
        ?? frames.commits.count
      guard first < end else { continue }
      let last = frames.commits[end - 1].frameCount
      for commit in frames.commits[first..<end] {
        let isContradicted = comparisons[..<index].contains { earlier in
          steps += 1
          return earlier.comparison.contradicts(checkpointTo: commit.frameCount, logOf: last)
        }
        if !isContradicted || steps > Self.maxSteps { return true }
      }
    }
    return false
  }
}

extension BasePages.Comparison {
  /// Whether a checkpoint would have written the page and has not.
  ///
  /// - Parameters:
  ///   - end: The number of frames that the checkpoint moved.
  ///   - count: The number of frames that the log had at most.
  fileprivate func contradicts(checkpointTo end: UInt32, logOf count: UInt32) -> Bool {
    guard let written = frames.last(where: { $0 < end }),
      // A page with a later frame is left out.
      !frames.contains(where: { $0 >= end && $0 < count })
    else { return false }
    // A later checkpoint may have written a later frame.
    return equal.last.map { $0 < written } ?? true
  }
}
