/// How many columns text takes in a terminal.
enum DisplayWidth {
  /// Columns of a whole text, 0 for control characters.
  package static func of(_ text: String) -> Int {
    if text.allBytes({ (0x20..<0x7F).contains($0) }) { return text.utf8.count }
    var width = 0
    for scalar in text.unicodeScalars {
      // Finding character boundaries is expensive, and unnecessary while each scalar is a character.
      guard isOrdinary(scalar) else { return text.reduce(0) { $0 + of($1) } }
      width += scalar.value < 0x3000 ? 1 : 2
    }
    return width
  }

  /// Columns of one character as people see it, which may be many scalars.
  package static func of(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    let second = scalars.dropFirst().first
    guard let second else { return of(first) }

    if isRegionalIndicator(first) && isRegionalIndicator(second) { return 2 }
    // A flag, a family or a skin tone is drawn in the place of its first part.
    if isPictograph(first) {
      let isWide = scalars.contains { $0.value == 0xFE0F || isSkinTone($0) }
      return isWide ? 2 : max(of(first), second.value == 0x200D ? 2 : 0)
    }
    if scalars.contains(where: { $0.value == 0x20E3 }) && second.value == 0xFE0F { return 2 }
    return scalars.reduce(0) { $0 + of($1) }
  }

  /// Columns of a single scalar: 0, 1 or 2.
  package static func of(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case 0x20..<0x7F, 0xA0..<0x300: return 1
    case ..<0x20, 0x7F..<0xA0: return 0
    // Vowels and finals of Korean syllables, drawn inside the syllable that they belong to.
    case 0x1160...0x11FF, 0xD7B0...0xD7FF: return 0
    case 0x4E00...0x9FFF, 0xAC00...0xD7A3: return 2
    default: break
    }
    if isZeroWidth(scalar) { return 0 }
    return isWide(scalar) ? 2 : 1
  }

  /// Whether a scalar is drawn over the one before it and takes no place of its own.
  static func isNonspacingMark(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar.value >= 0x300 else { return false }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return true
    default: return false
    }
  }

  /// Whether a scalar is in a range of letters and signs that are always visible and never join
  /// another. This fast test avoids looking up Unicode properties for most text.
  static func isOrdinary(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20..<0x7F, 0xA0..<0xAD, 0xAE..<0x300: true
    case 0x370..<0x483, 0x48A..<0x530, 0x2010...0x2027: true
    case 0x3041...0x3096, 0x30A1...0x30FE, 0x4E00...0x9FFF, 0xAC00...0xD7A3: true
    default: false
    }
  }

  private static func isZeroWidth(_ scalar: Unicode.Scalar) -> Bool {
    // The only ignorable that is drawn wide: the filler for a missing Korean initial.
    if scalar.value == 0x115F { return false }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .spacingMark: return true
    case .lineSeparator, .paragraphSeparator: return true
    default: break
    }
    // Format characters that draw nothing: interlinear annotation, and the joiners of hieroglyphs.
    if (0xFFF9...0xFFFB).contains(scalar.value) { return true }
    if (0x13430...0x1343F).contains(scalar.value) { return true }
    return scalar.properties.isDefaultIgnorableCodePoint
  }

  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar.value >= 0x1100 else { return false }
    var low = 0
    var high = WideRanges.table.count
    while low < high {
      let middle = (low + high) / 2
      if WideRanges.table[middle].upperBound < scalar.value {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low < WideRanges.table.count && WideRanges.table[low].contains(scalar.value)
  }

  private static func isRegionalIndicator(_ scalar: Unicode.Scalar) -> Bool {
    (0x1F1E6...0x1F1FF).contains(scalar.value)
  }

  private static func isSkinTone(_ scalar: Unicode.Scalar) -> Bool {
    (0x1F3FB...0x1F3FF).contains(scalar.value)
  }

  private static func isPictograph(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value > 0x7F && scalar.properties.isEmoji
  }
}

extension String {
  /// Whether a test holds for every byte of the text in UTF-8.
  @inline(__always)
  func allBytes(_ test: (UInt8) -> Bool) -> Bool {
    // Contiguous bytes are several times faster than the elements of the view.
    utf8.withContiguousStorageIfAvailable { $0.allSatisfy(test) } ?? utf8.allSatisfy(test)
  }

  /// Columns that the text takes in a terminal.
  package var displayWidth: Int {
    DisplayWidth.of(self)
  }

  /// The text, or as much of its start as fits into `width` columns with "…" after it. An escape such as
  /// `\e` or `\u{202E}` stays whole or is left out.
  package func truncated(to width: Int) -> String {
    guard displayWidth > width else { return self }
    guard width > 0 else { return "" }
    var end = startIndex
    var used = 0
    while end < endIndex {
      let next = escapeEnd(at: end) ?? index(after: end)
      used += String(self[end..<next]).displayWidth
      if used > width - 1 { break }
      end = next
    }
    return self[..<end] + "…"
  }

  /// The text, or as much of its start and of its end as fits into `width` columns with "…" between them:
  /// names that begin alike often differ at the end.
  package func truncatedInMiddle(to width: Int) -> String {
    guard displayWidth > width else { return self }
    guard width > 4 else { return truncated(to: width) }
    let start = truncated(to: width - (width - 1) / 2)
    var tail = endIndex
    var used = start.displayWidth
    while tail > startIndex {
      let before = escapeStart(endingAt: tail) ?? index(before: tail)
      used += String(self[before..<tail]).displayWidth
      if used > width { break }
      tail = before
    }
    return tail == endIndex ? truncated(to: width) : start + self[tail...]
  }

  /// The most characters of an escape, as in `\u{10FFFF}`.
  private static var longestEscape: Int { 10 }

  /// The end of the escape of ``TerminalText`` that begins at a place, or `nil` if none does.
  private func escapeEnd(at start: Index) -> Index? {
    // A combining mark after an escape belongs to its last character.
    func scalar(_ place: Index) -> Unicode.Scalar? {
      place < endIndex ? self[place].unicodeScalars.first : nil
    }
    guard self[start] == "\\" else { return nil }
    var place = index(after: start)
    switch scalar(place) {
    case "0", "t", "n", "r", "e": return index(after: place)
    case "u": place = index(after: place)
    default: return nil
    }
    guard scalar(place) == "{" else { return nil }
    for _ in 3..<Self.longestEscape {
      place = index(after: place)
      guard let digit = scalar(place) else { return nil }
      if digit == "}" { return index(after: place) }
      guard digit.properties.isASCIIHexDigit else { return nil }
    }
    return nil
  }

  /// The beginning of the escape that ends at a place, or `nil` if none does.
  private func escapeStart(endingAt end: Index) -> Index? {
    var place = end
    for _ in 0..<Self.longestEscape {
      guard place > startIndex else { return nil }
      place = index(before: place)
      if self[place] == "\\" { return escapeEnd(at: place) == end ? place : nil }
    }
    return nil
  }

  /// The text with spaces up to `width` columns; longer text is returned as it is.
  package func padded(to width: Int, alignment: TextAlignment = .leading) -> String {
    let missing = width - displayWidth
    guard missing > 0 else { return self }
    let spaces = String(repeating: " ", count: missing)
    return alignment == .leading ? self + spaces : spaces + self
  }
}

/// The scalars that terminals draw two columns wide.
enum WideRanges {
  /// Sorted ranges of East Asian Width "Wide" and "Fullwidth" in Unicode 15.0.
  ///
  /// Ranges run over gaps of unassigned and of combining scalars, which keeps the table short;
  /// combining ones are excluded before.
  package static let table: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0...0x23F0,
    0x23F3...0x23F3, 0x25FD...0x25FE, 0x2614...0x2615, 0x2648...0x2653, 0x267F...0x267F,
    0x2693...0x2693, 0x26A1...0x26A1, 0x26AA...0x26AB, 0x26BD...0x26BE, 0x26C4...0x26C5,
    0x26CE...0x26CE, 0x26D4...0x26D4, 0x26EA...0x26EA, 0x26F2...0x26F3, 0x26F5...0x26F5,
    0x26FA...0x26FA, 0x26FD...0x26FD, 0x2705...0x2705, 0x270A...0x270B, 0x2728...0x2728,
    0x274C...0x274C, 0x274E...0x274E, 0x2753...0x2755, 0x2757...0x2757, 0x2795...0x2797,
    0x27B0...0x27B0, 0x27BF...0x27BF, 0x2B1B...0x2B1C, 0x2B50...0x2B50, 0x2B55...0x2B55,
    0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF, 0x4E00...0xA4C6, 0xA960...0xA97C,
    0xAC00...0xD7A3, 0xF900...0xFAD9, 0xFE10...0xFE6B, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
    0x16FE0...0x1B2FB, 0x1F004...0x1F004, 0x1F0CF...0x1F0CF, 0x1F18E...0x1F18E, 0x1F191...0x1F19A,
    0x1F200...0x1F320, 0x1F32D...0x1F335, 0x1F337...0x1F37C, 0x1F37E...0x1F393, 0x1F3A0...0x1F3CA,
    0x1F3CF...0x1F3D3, 0x1F3E0...0x1F3F0, 0x1F3F4...0x1F3F4, 0x1F3F8...0x1F43E, 0x1F440...0x1F440,
    0x1F442...0x1F4FC, 0x1F4FF...0x1F53D, 0x1F54B...0x1F54E, 0x1F550...0x1F567, 0x1F57A...0x1F57A,
    0x1F595...0x1F596, 0x1F5A4...0x1F5A4, 0x1F5FB...0x1F64F, 0x1F680...0x1F6C5, 0x1F6CC...0x1F6CC,
    0x1F6D0...0x1F6D2, 0x1F6D5...0x1F6DF, 0x1F6EB...0x1F6EC, 0x1F6F4...0x1F6FC, 0x1F7E0...0x1F7F0,
    0x1F90C...0x1F93A, 0x1F93C...0x1F945, 0x1F947...0x1F9FF, 0x1FA70...0x1FAF8, 0x20000...0x3FFFD,
  ]
}
