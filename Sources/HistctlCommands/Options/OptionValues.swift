import ArgumentParser
import PersistentHistory
import StoreFormat

/// A number of bytes on the command line: 100M, 1.5G, 4096B.
///
/// A unit is required: 100 could mean bytes or megabytes, and sizes decide what is deleted.
struct ByteSize: OptionValue {
  static let valueName = "size"

  /// The number of bytes, 1 or more.
  let bytes: Int64

  /// As in GNU's programs, K, M and G are powers of 1024, KB, MB and GB powers of 1000.
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
  init(option text: String) throws(ValidationError) {
    let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let unit = text.dropFirst(number.count).drop { $0 == " " }
    guard let thousandths = Self.thousandths(number) else {
      throw ValidationError("not a size; \(Self.remedy)")
    }
    guard !unit.isEmpty else { throw ValidationError("the unit is missing; \(Self.remedy)") }
    guard let size = Self.units[unit.lowercased()] else {
      throw ValidationError("unknown unit; write B, K, M, G, T or P after the number")
    }
    let (product, overflow) = thousandths.multipliedReportingOverflow(by: size)
    guard !overflow else { throw ValidationError("too large") }
    guard product >= 1000 else { throw ValidationError("less than a byte; \(Self.remedy)") }
    bytes = product / 1000
  }

  /// Returns a decimal number in thousandths, or `nil` for anything else and for more than 12 digits.
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

/// A length of time: 30d, 2w, 1y6mo.
extension HistoryDuration: OptionValue {
  static var valueName: String { "duration" }

  /// Reads a duration greater than zero, with its unit, and of at most 9999 years.
  init(option text: String) throws(ValidationError) {
    do {
      self = try HistoryDuration(parsing: text)
    } catch {
      throw ValidationError(error.description)
    }
    guard !isZero else {
      throw ValidationError("the duration must be greater than zero; write for example 30d")
    }
    let years = Double(months) / 12 + Double(days) / 365 + Double(seconds) / (365 * 86_400)
    guard years <= 9999 else { throw ValidationError("too long; write 9999y or less") }
  }

  /// Returns the number of seconds before a moment; the lengths of months differ.
  func seconds(before now: StoreTimestamp) -> Double {
    now.secondsSinceReferenceDate - before(now).secondsSinceReferenceDate
  }
}

/// A number of transactions on the command line.
struct TransactionCount: OptionValue {
  static let valueName = "count"

  /// 1 or more.
  let count: Int64

  /// Reads a number without a unit.
  init(option text: String) throws(ValidationError) {
    guard Self.isNumber(text) else {
      throw ValidationError(
        "not a number of transactions; write for example 1000, or use --keep-within 30d")
    }
    guard let number = Int64(text) else { throw ValidationError("too large") }
    guard number > 0 else {
      throw ValidationError("must be 1 or more; histctl prune --all deletes all transactions")
    }
    count = number
  }

  static func isNumber(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }
}

/// How far behind a bookmark is allowed to be: 30d or 100000.
extension BookmarkAllowance: OptionValue {
  static var valueName: String { "allowance" }

  /// Reads a number of transactions, or a duration with its unit.
  init(option text: String) throws(ValidationError) {
    guard TransactionCount.isNumber(text) else {
      self = .duration(try HistoryDuration(option: text))
      return
    }
    guard let count = Int64(text), count > 0 else {
      throw ValidationError("must be 1 or more; write a number of transactions, or a duration: 30d")
    }
    self = .transactions(count)
  }
}

/// The name of a guard to ignore.
enum GuardArgument {
  /// Returns the name of a guard.
  static func name(parsing text: String) throws(ValidationError) -> String {
    guard RetentionGuard.isName(text) else {
      throw ValidationError(
        "no guard is named '\(text)'; the guards are mirroring, archive, bookmarks, damage, and @NAME "
          + "for one bookmark")
    }
    return text
  }

  /// Returns the name of a guard that a command has.
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

extension ChangeKind: ExpressibleByArgument {
  /// Reads the name of a kind.
  public init?(argument: String) { self.init(name: argument) }

  /// The names of the kinds.
  public static var allValueStrings: [String] { allCases.map(\.name) }
}

/// A choice among a few words on the command line.
///
/// Lists the words explicitly, because the argument parser would find them by reflection in every run.
protocol WordArgument: ExpressibleByArgument, CaseIterable, RawRepresentable, Sendable
where RawValue == String {}

extension WordArgument {
  /// The words, in the order of declaration.
  public static var allValueStrings: [String] { allCases.map(\.rawValue) }

  /// The word that help shows as the default.
  public var defaultValueDescription: String { rawValue }
}
