import Terminal

/// A page of facts, with a line for each: a title and what belongs to it.
protocol FieldPage {
  var session: Session { get }
  var writer: OutputWriter { get }
}

extension FieldPage {
  /// Writes a line; none where there is no value.
  func field(_ title: String, _ value: String?, style: Style = .plain) throws {
    guard let value else { return }
    try writer.writeLine(StyledLine(session).field(title, value, style: style))
  }
}
