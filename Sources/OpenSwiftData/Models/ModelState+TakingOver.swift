/// Values that come from the store, or come back.
extension ModelState {
  /// Takes over what a store holds; what the store does not keep stays.
  func replace(_ new: [PropertyValue]) {
    for index in new.indices where !layout.properties[index].isTransient {
      // What was not read says nothing of what is known.
      if case .fault = new[index] { continue }
      takeOver(new[index], at: index)
    }
  }

  /// Takes back what was there before the first change.
  func restore(_ original: [PropertyValue]) {
    for (index, property) in layout.properties.enumerated() {
      // What a deleted model has been given besides was never tracked; it keeps its lists.
      let isToMany = property.relationship?.isToMany ?? false
      if changed.contains(index) || (phase == .deleted && !isToMany) {
        change(original[index], at: index)
      }
    }
  }

  /// Takes over what a store holds in a property, and tells observers where that is another value.
  func takeOver(_ new: PropertyValue, at index: Int) {
    switch (values[index], new) {
    // Nobody has seen the old value, or nobody has read the new one.
    case (.fault, _), (_, .toManyFault), (_, .fault): values[index] = new
    case (.value(let value), .inFile(let file)) where holds(value, file, at: index): break
    case (let old, _) where layout.properties[index].isSame(old, new): break
    default: change(new, at: index)
    }
  }
}
