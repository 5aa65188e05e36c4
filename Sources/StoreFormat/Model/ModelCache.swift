/// What a store's model cache had to say.
package enum ModelCache: Hashable, Sendable {
  /// The model.
  case model(ManagedModel)
  /// The store has no table for it, or no row in it, or the row is empty; an app may delete it.
  case missing
  /// The row is there and cannot be read.
  case unreadable(reason: String)

  /// The model, where there is one.
  package var model: ManagedModel? {
    if case .model(let model) = self { model } else { nil }
  }

  /// Reads the content of a model cache: a keyed archive, packed or plain.
  package init(content: [UInt8]) { self.init(PackedModel(content: content)) }

  /// Decodes a model that was unpacked.
  init(_ packed: PackedModel) {
    switch packed {
    case .missing: self = .missing
    case .unreadable(let reason): self = .unreadable(reason: reason)
    case .archive(let archive):
      do {
        self = .model(try ManagedModel(archive: archive))
      } catch {
        self = .unreadable(reason: "\(error)")
      }
    }
  }

  /// Whether a model is there, without the model.
  package enum Condition: Hashable, Sendable {
    /// It is there.
    case present
    /// It is not there, which an app may have brought about.
    case missing
    /// It is there and cannot be read.
    case unreadable(reason: String)
  }

  /// Whether the model is there and readable.
  package var condition: Condition {
    switch self {
    case .model: .present
    case .missing: .missing
    case .unreadable(let reason): .unreadable(reason: reason)
    }
  }
}
