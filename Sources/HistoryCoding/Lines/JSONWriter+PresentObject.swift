import StoreFormat

/// What objects are now.
extension JSONWriter {
  /// Writes an object under the key that says whether its names are those of the model.
  mutating func append(_ present: PresentObject, _ isFirst: inout Bool) {
    if present.isNamedByModel {
      appendKey("\"current\":", &isFirst)
    } else {
      appendKey("\"currentRaw\":", &isFirst)
    }
    appendMembers(of: present)
  }

  /// Writes the attributes and relationships of an object as members of one JSON object; what is nil
  /// is left out.
  private mutating func appendMembers(of present: PresentObject) {
    var isFirst = true
    appendRaw("{")
    for value in present.values where !value.value.isNull || value.isLeftOut {
      appendName(value.name, &isFirst)
      append(value)
    }
    for reference in present.references {
      guard let key = reference.primaryKey else { continue }
      appendName(reference.name, &isFirst)
      appendRaw("{\"$object\":")
      appendString("\(reference.entityName ?? "?")/p\(key)")
      appendRaw("}")
    }
    for count in present.counts {
      appendName(count.name, &isFirst)
      appendRaw("{\"$count\":")
      appendInteger(count.count)
      appendRaw("}")
    }
    appendRaw("}")
  }

  private mutating func appendName(_ name: String, _ isFirst: inout Bool) {
    if isFirst { isFirst = false } else { appendRaw(",") }
    appendString(name)
    appendRaw(":")
  }

  private mutating func append(_ value: PresentObject.Value) {
    if let file = value.externalFile {
      appendRaw("{\"$external\":")
      appendString(file)
      appendRaw("}")
    } else if let size = value.byteCount,
      value.isLeftOut || value.isData && size > ObjectLifeEncoder.longestData
    {
      appendRaw("{\"$size\":")
      appendInteger(Int64(size))
      appendRaw("}")
    } else {
      _ = TombstoneCoding.append(value.value, of: value.type, to: &self)
    }
  }
}
