/// Characters that are replaced by each other; one that stays is alone in its set.
struct CharacterSet {
  let first: UInt32
  var count: Int
  /// The members, where they do not follow one another.
  private var members: [UInt32]?

  init(first: UInt32, count: Int) {
    self.first = first
    self.count = count
  }

  /// The letters or digits of the kind of a character in ASCII; any other character is alone.
  init(ascii value: UInt32) {
    switch value {
    case 97...122: self.init(first: 97, count: 26)
    case 65...90: self.init(first: 65, count: 26)
    case 48...57: self.init(first: 48, count: 10)
    default: self.init(first: value, count: 1)
    }
  }

  init(members: [UInt32]) {
    self.init(first: members.first ?? 0, count: members.count)
    self.members = members
  }

  func position(of character: UInt32) -> Int {
    members?.firstIndex(of: character) ?? Int(character - first)
  }

  func character(at position: Int) -> UInt32 { members?[position] ?? first + UInt32(position) }
}

/// The sets of the characters of texts, each made once.
final class CharacterSets {
  /// The sets of 64 code points, by category.
  private struct Block {
    let categories: [Unicode.GeneralCategory?]
    var sets: [Unicode.GeneralCategory: CharacterSet] = [:]
  }

  /// The maximum number of blocks that are kept, more than the texts of one language have.
  private static let maxBlocks = 1024
  private static let punctuation = CharacterSet(
    members: (33...126).filter { CharacterSet(ascii: $0).count == 1 })

  private var blocks: [UInt32: Block] = [:]

  /// Returns the letters or digits of a character's kind: in ASCII all of them, beyond it those of the same 64
  /// code points.
  func set(of scalar: Unicode.Scalar) -> CharacterSet {
    if scalar.value < 0x80 { return CharacterSet(ascii: scalar.value) }
    return set(of: scalar) { category in
      switch category {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .otherLetter, .decimalNumber,
        .letterNumber, .otherNumber, .otherSymbol, .privateUse:
        true
      default: false
      }
    }
  }

  /// Returns other punctuation, for texts without letters and digits.
  func set(ofPunctuation scalar: Unicode.Scalar) -> CharacterSet {
    if (33...126).contains(scalar.value) { return Self.punctuation }
    // The others of ASCII are controls and the space.
    if scalar.value < 0x80 { return CharacterSet(first: scalar.value, count: 1) }
    return set(of: scalar) { category in
      switch category {
      case .control, .format, .surrogate, .spaceSeparator, .lineSeparator, .paragraphSeparator,
        .unassigned:
        false
      default: true
      }
    }
  }

  private func set(
    of scalar: Unicode.Scalar, where isReplaced: (Unicode.GeneralCategory) -> Bool
  ) -> CharacterSet {
    let (number, place) = (scalar.value >> 6, Int(scalar.value & 63))
    var block = blocks[number] ?? Block(categories: Self.categories(number))
    guard let category = block.categories[place], isReplaced(category) else {
      if blocks[number] == nil { keep(block, number) }
      return CharacterSet(first: scalar.value, count: 1)
    }
    if let known = block.sets[category] { return known }
    let members = block.categories.indices.filter { block.categories[$0] == category }
    let set = CharacterSet(members: members.map { number << 6 | UInt32($0) })
    block.sets[category] = set
    keep(block, number)
    return set
  }

  private func keep(_ block: Block, _ number: UInt32) {
    if blocks.count >= Self.maxBlocks { blocks.removeAll(keepingCapacity: true) }
    blocks[number] = block
  }

  private static func categories(_ number: UInt32) -> [Unicode.GeneralCategory?] {
    (0..<64).map { Unicode.Scalar(number << 6 | $0)?.properties.generalCategory }
  }
}
