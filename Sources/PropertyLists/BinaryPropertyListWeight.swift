extension BinaryPropertyList {
  /// The state of a weighing.
  private struct Scale {
    /// Weight by object index; 0 for not yet known, `inProgress` while its content is being weighed.
    var weights: [Int]
    /// References that may still be followed.
    var work: Int
    /// The weight beyond which the list is refused.
    let allowance: Int

    static let inProgress = -1
  }

  /// Checks that decoding each element of an array once costs no more than a multiple of the file's
  /// size.
  ///
  /// The weight of an object is what decoding it costs: 1 for itself, its bytes if it is a string or
  /// data, and the weight of its content.  Real archives write every array and dictionary once, so
  /// their weight follows their size; a list that refers to the same large object thousands of times
  /// would make a reader that visits every element work for hours.
  ///
  /// Throws when the array is too heavy, an object in it is damaged or contains itself.
  func checkWeight(of array: Header) throws(PropertyListError) {
    // Shared dictionary keys weigh anew in each dictionary, hence the generous factor.
    let allowance = bytes.count * 32 + (1 << 20)
    var scale = Scale(
      weights: [Int](repeating: 0, count: offsets.count), work: allowance, allowance: allowance)
    var total = 0
    for slot in 0..<array.count {
      total += try weigh(reference(slot, of: array), limits.depth, &scale)
      guard total <= allowance else { throw tooHeavy(array) }
    }
  }

  private func weigh(
    _ index: Int, _ depth: Int, _ scale: inout Scale
  ) throws(PropertyListError) -> Int {
    if index >= 0, index < scale.weights.count, scale.weights[index] != 0 {
      guard scale.weights[index] != Scale.inProgress else {
        throw .damaged(
          "an array or dictionary that contains itself", expected: "a tree",
          offset: Int(offsets[index]))
      }
      return scale.weights[index]
    }
    let header = try header(at: index)
    var weight = 1
    switch header.kind {
    case .array, .dictionary:
      guard depth > 0 else {
        throw .beyondLimit("arrays and dictionaries nested too deeply", offset: header.payload)
      }
      let slots = header.kind == .array ? header.count : header.count * 2
      // Containers that overlap in the file hold more references than it has bytes.
      scale.work -= slots
      guard scale.work >= 0 else { throw tooHeavy(header) }
      scale.weights[index] = Scale.inProgress
      for slot in 0..<slots {
        weight += try weigh(reference(slot, of: header), depth - 1, &scale)
        guard weight <= scale.allowance else { throw tooHeavy(header) }
      }
    case .data, .ascii, .utf16:
      weight += header.count
    default:
      break
    }
    scale.weights[index] = weight
    return weight
  }

  private func tooHeavy(_ header: Header) -> PropertyListError {
    .beyondLimit("the same objects referred to again and again", offset: header.payload)
  }
}
