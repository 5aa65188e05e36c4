import Foundation

/// Who changes models: a context and the author that it names.
public struct EditingState: Identifiable, Sendable {
  /// Tells contexts apart.
  public let id: UUID
  /// Who saves, as the app sets it.
  public var author: String?

  /// A state.
  ///
  /// - Parameters:
  ///   - id: Tells contexts apart.
  ///   - author: Who saves, as the app sets it.
  public init(id: UUID = UUID(), author: String? = nil) {
    self.id = id
    self.author = author
  }
}
