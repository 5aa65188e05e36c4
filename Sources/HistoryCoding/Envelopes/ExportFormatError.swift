/// Why records cannot be written with the fields that were asked for.
package enum ExportFormatError: Error, Hashable, Sendable {
  /// The format has no field of this name.
  case unknownField(name: String, format: ExportFormat)
  /// The list of fields is empty.
  case noFields(format: ExportFormat)

  /// What is wrong.
  package var message: String {
    switch self {
    case .unknownField(let name, let format):
      "the format \(format.rawValue) has no field '\(name)'"
    case .noFields(let format):
      "no field is left of the format \(format.rawValue), expected at least one"
    }
  }

  /// What to do about it.
  package var remedy: String {
    switch self {
    case .unknownField(_, let format), .noFields(let format):
      "choose among \(format.fieldNames.joined(separator: ", "))"
    }
  }
}

extension ExportFormatError: CustomStringConvertible {
  /// The message and the remedy as one line.
  package var description: String { "\(message) (\(remedy))" }
}
