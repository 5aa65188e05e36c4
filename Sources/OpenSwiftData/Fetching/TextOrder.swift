import Foundation
import StoreFormat

/// The order of texts for people: regardless of case and accents first, and "2" before "10".
///
/// It is that of `localizedStandardCompare`, which takes microseconds. Where the locale sorts ASCII
/// as Unicode's root does, texts that differ in ASCII first are compared here.
enum TextOrder {
  static let collation = TextCollation("swift_localized_standard") { left, right in
    if sortsASCIIAsRoot, let result = compareASCII(left, right) { return result }
    return compareLocalized(string(left), string(right)).rawValue
  }

  static func compare(_ left: String, _ right: String) -> ComparisonResult {
    guard sortsASCIIAsRoot,
      let result = left.utf8.withContiguousStorageIfAvailable({ left in
        right.utf8.withContiguousStorageIfAvailable { right in
          compareASCII(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
        }
      }), let result, let result
    else { return compareLocalized(left, right) }
    return ComparisonResult(rawValue: result) ?? .orderedSame
  }

  static func compareLocalized(_ left: String, _ right: String) -> ComparisonResult {
    left.localizedStandardCompare(right)
  }

  private static func string(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  // MARK: - ASCII

  /// Other languages have letters of two characters, or sort some letters elsewhere.
  private static let sortsASCIIAsRoot = Locale.current.language.languageCode == .english

  /// The places of characters, the same for both cases of a letter; 0 for those that need
  /// `localizedStandardCompare`.
  private static let places: [UInt8] = {
    let others = "\t\n\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"
    var places = [UInt8](repeating: 0, count: 256)
    for (place, character) in (others + "0123456789abcdefghijklmnopqrstuvwxyz").utf8.enumerated() {
      places[Int(character)] = UInt8(place + 1)
    }
    for letter in UInt8(ascii: "a")...UInt8(ascii: "z") {
      places[Int(letter) - 32] = places[Int(letter)]
    }
    return places
  }()

  /// Longer numbers are several ones for `localizedStandardCompare`.
  private static let longestNumber = 200
  private static let zero = UInt8(ascii: "0")

  /// Compares two texts, or returns `nil` if this takes more than the order of ASCII.
  ///
  /// The first character or number that differs decides, then the first letter that differs in case:
  /// lower case first. Later characters do not count.
  static func compareASCII(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
  ) -> Int? {
    places.withUnsafeBufferPointer { places in
      var byCase = 0
      var numbersDifferInZeros = false
      var (one, other) = (0, 0)
      while one < left.count, other < right.count {
        let (first, second) = (left[one], right[other])
        let (place, otherPlace) = (places[Int(first)], places[Int(second)])
        guard place != 0, otherPlace != 0 else { return nil }
        if isDigit(first), isDigit(second) {
          guard let ours = number(in: left, at: &one), let theirs = number(in: right, at: &other)
          else { return nil }
          let result = compare(ours.digits, theirs.digits)
          guard result == 0 else { return result }
          if ours.zeros != theirs.zeros { numbersDifferInZeros = true }
          continue
        }
        guard place == otherPlace else { return place < otherPlace ? -1 : 1 }
        if byCase == 0, first != second { byCase = first > second ? -1 : 1 }
        one += 1
        other += 1
      }
      // The rest may consist of accents and other characters without a place.
      if one < left.count { return places[Int(left[one])] == 0 ? nil : 1 }
      if other < right.count { return places[Int(right[other])] == 0 ? nil : -1 }
      return numbersDifferInZeros ? nil : byCase
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= zero && byte <= zero + 9 }

  /// Reads a number, or returns `nil` if it is long or may continue in digits of another script.
  private static func number(
    in text: UnsafeRawBufferPointer, at place: inout Int
  ) -> (zeros: Int, digits: UnsafeRawBufferPointer.SubSequence)? {
    let start = place
    while place < text.count, text[place] == zero { place += 1 }
    let first = place
    while place < text.count, isDigit(text[place]) { place += 1 }
    guard place - first <= longestNumber, place == text.count || places[Int(text[place])] != 0
    else { return nil }
    return (first - start, text[first..<place])
  }

  private static func compare(
    _ left: UnsafeRawBufferPointer.SubSequence, _ right: UnsafeRawBufferPointer.SubSequence
  ) -> Int {
    if left.count != right.count { return left.count < right.count ? -1 : 1 }
    for (one, other) in zip(left, right) where one != other { return one < other ? -1 : 1 }
    return 0
  }
}

// MARK: - Sorting

extension SortDescriptor {
  typealias Comparison = (Compared, Compared) -> ComparisonResult

  /// Whether it sorts texts in the order for people, which is the default.
  var isLocalized: Bool {
    guard let keyPath else { return false }
    let type = type(of: keyPath).valueType
    guard type == String.self || type == String?.self else { return false }
    #if canImport(Darwin)
    return stringComparator == .localizedStandard
    #else
    // Foundation has no name for this order here, and compares scalars.
    return stringComparator == nil
    #endif
  }

  var comparison: Comparison {
    guard isLocalized, let keyPath else { return compare }
    let isForward = order == .forward
    return { left, right in
      let result: ComparisonResult =
        switch (left[keyPath: keyPath] as? String, right[keyPath: keyPath] as? String) {
        case (let left?, let right?): TextOrder.compare(left, right)
        case (nil, nil): .orderedSame
        case (nil, _?): .orderedAscending
        case (_?, nil): .orderedDescending
        }
      return isForward ? result : ComparisonResult(rawValue: -result.rawValue) ?? result
    }
  }
}

extension Sequence {
  /// Sorts by several keys, and keeps the order of elements that are equal in all.
  func sorted(by order: [SortDescriptor<Element>]) -> [Element] {
    let comparisons = order.map(\.comparison)
    return sorted { left, right in
      for comparison in comparisons {
        let result = comparison(left, right)
        if result != .orderedSame { return result == .orderedAscending }
      }
      return false
    }
  }
}
