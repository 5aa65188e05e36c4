import ArgumentParser
import PersistentHistory
import StoreFormat

/// A number of bytes on the command line: 100M, 1.5G, 4096B.
///
/// The unit must be there: 100 could be meant as bytes or as megabytes, and a size decides much.
struct ByteSize: Equatable {
  /// The number of bytes, 1 or more.
  let bytes: Int64

  /// As GNU's programs have it: K, M and G are powers of 1024, KB, MB and GB powers of 1000.
  private static let units: [String: Int64] = {
    var units: [String: Int64] = ["b": 1]
    var (binary, decimal): (Int64, Int64) = (1, 1)
    for prefix in ["k", "m", "g", "t", "p"] {
      binary *= 1024
      decimal *= 1000
      units[prefix] = binary
      units[prefix + "ib"] = binary
      units[prefix + "b"] = decimal
    }
    return units
  }()

  private static let remedy = "write a number and a unit, such as 500K, 100M or 1.5G"

  /// Reads a number with at most three decimals and its unit.
  init(parsing text: String) throws(ValidationError) {
    let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let unit = text.dropFirst(number.count).drop { $0 == " " }
    guard let thousandths = Self.thousandths(number) else {
      throw ValidationError("it is not a size; \(Self.remedy)")
    }
    guard !unit.isEmpty else { throw ValidationError("it has no unit; \(Self.remedy)") }
    guard let size = Self.units[unit.lowercased()] else {
      throw ValidationError("it has an unknown unit; write B, K, M, G, T or P after the number")
    }
    let (product, overflow) = thousandths.multipliedReportingOverflow(by: size)
    guard !overflow else { throw ValidationError("it is too large") }
    guard product >= 1000 else { throw ValidationError("it is less than a byte; \(Self.remedy)") }
    bytes = product / 1000
  }

  /// A decimal number in thousandths; nil for anything else, and for more than 12 digits.
  private static func thousandths(_ number: Substring) -> Int64? {
    let parts = number.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), (1...12).contains(parts[0].count),
      let whole = Int64(parts[0])
    else { return nil }
    guard parts.count == 2 else { return whole * 1000 }
    guard (1...3).contains(parts[1].count), let digits = Int64(parts[1]) else { return nil }
    return whole * 1000 + digits * [100, 10, 1][parts[1].count - 1]
  }
}

/// A length of time on the command line: 30d, 2w, 1y6mo.
struct DurationArgument: Equatable {
  let duration: HistoryDuration

  /// Dates have four digits for the year.
  private static let mostYears = 9999.0

  /// How many seconds it is before a moment: months differ.
  func seconds(before now: StoreTimestamp) -> Double {
    now.secondsSinceReferenceDate - duration.before(now).secondsSinceReferenceDate
  }

  /// Reads a duration that is more than nothing; the unit must be there.
  init(parsing text: String) throws(ValidationError) {
    do {
      duration = try HistoryDuration(parsing: text)
    } catch {
      throw ValidationError(error.description)
    }
    guard !duration.isZero else {
      throw ValidationError("it is no time at all; write a number of 1 or more, such as 30d")
    }
    let years =
      Double(duration.months) / 12 + Double(duration.days) / 365
      + Double(duration.seconds) / (365 * 86_400)
    guard years <= Self.mostYears else {
      throw ValidationError("it is longer than any calendar; write 9999y or less")
    }
  }
}

/// A number of transactions on the command line.
struct TransactionCount: Equatable {
  /// 1 or more.
  let count: Int64

  /// Reads a number without a unit.
  init(parsing text: String) throws(ValidationError) {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw ValidationError(
        "it is not a number of transactions; write one, such as 1000, or for a time --keep-within 30d"
      )
    }
    guard let number = Int64(text) else {
      throw ValidationError("it is larger than any number of transactions")
    }
    guard number > 0 else {
      throw ValidationError(
        "it would keep nothing; write 1 to keep the newest transaction, or --all to delete all")
    }
    count = number
  }
}

/// How far behind a bookmark may be, on the command line: 30d or 100000.
struct AllowanceArgument: Equatable {
  let allowance: BookmarkAllowance

  /// Reads a number of transactions, or a duration with its unit.
  init(parsing text: String) throws(ValidationError) {
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      guard let count = Int64(text), count > 0 else {
        throw ValidationError("it is not 1 or more; write a number of transactions, or a time: 30d")
      }
      allowance = .transactions(count)
    } else {
      allowance = .duration(try DurationArgument(parsing: text).duration)
    }
  }
}

/// The name of a guard that pruning is to ignore.
enum GuardArgument {
  /// Gives a name back, and refuses what is none.
  static func name(parsing text: String) throws(ValidationError) -> String {
    guard RetentionGuard.isName(text) else {
      throw ValidationError(
        "no guard is named '\(text)'; the guards are mirroring, archive, bookmarks, damage, and one "
          + "bookmark as @name")
    }
    return text
  }

  /// Gives a name back that is one of a few.
  static func name(
    parsing text: String, among names: [String], of command: String
  ) throws(ValidationError) -> String {
    guard names.contains(text) else {
      let list = names.joined(separator: " and ")
      throw ValidationError(
        "no guard of \(command) is named '\(text)'; "
          + (names.count > 1 ? "the guards are \(list)" : "the guard is \(list)"))
    }
    return text
  }
}

/// A kind of change on the command line.
enum KindArgument: String, WordArgument {
  case insert, update, delete

  var kind: ChangeKind {
    switch self {
    case .insert: .insert
    case .update: .update
    case .delete: .delete
    }
  }
}

/// A choice among a few words on the command line.
///
/// The argument parser would find out the words by reflection, in every run and for every choice.
protocol WordArgument: ExpressibleByArgument, CaseIterable, RawRepresentable, Sendable
where RawValue == String {}

extension WordArgument {
  /// The words, in the order of declaration.
  package static var allValueStrings: [String] { allCases.map(\.rawValue) }

  /// The word, as help shows a default.
  package var defaultValueDescription: String { rawValue }
}
