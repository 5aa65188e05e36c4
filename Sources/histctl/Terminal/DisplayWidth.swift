/// How many columns text takes in a terminal.
enum DisplayWidth {
  /// Columns of a whole text, 0 for control characters.
  static func of(_ text: String) -> Int {
    if text.allBytes({ (0x20..<0x7F).contains($0) }) { return text.utf8.count }
    var width = 0
    for scalar in text.unicodeScalars {
      // Finding where characters end is costly, and needless while each scalar is one.
      guard isOrdinary(scalar) else { return text.reduce(0) { $0 + of($1) } }
      width += scalar.value < 0x3000 ? 1 : 2
    }
    return width
  }

  /// Columns of one character as people see it, which may be many scalars.
  static func of(_ character: Character) -> Int {
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

  /// Columns of one scalar that stands alone: 0, 1 or 2.
  static func of(_ scalar: Unicode.Scalar) -> Int {
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
  /// another: a quick answer that spares most text the properties' slow one.
  static func isOrdinary(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20..<0x7F, 0xA0..<0xAD, 0xAE..<0x300: true
    case 0x370..<0x483, 0x48A..<0x530, 0x2010...0x2027: true
    case 0x3041...0x3096, 0x30A1...0x30FE, 0x4E00...0x9FFF, 0xAC00...0xD7A3: true
    default: false
    }
  }

  private static func isZeroWidth(_ scalar: Unicode.Scalar) -> Bool {
    // The one ignorable that is drawn wide: it stands for a missing Korean initial.
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
