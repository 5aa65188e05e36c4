#if !canImport(ObjectiveC)
import Foundation
import Synchronization

/// Makes a value of another kind out of a value, and the value out of that again; Foundation has one on
/// Apple's systems only.
///
/// For an attribute marked with `.transformable(by:)`, what is made is data.
///
/// ```swift
/// final class ColorTransformer: ValueTransformer {
///   override class func transformedValueClass() -> AnyClass { NSData.self }
///   override func transformedValue(_ value: Any?) -> Any? {
///     (value as? Color).map { Data([$0.red, $0.green, $0.blue]) }
///   }
///   override func reverseTransformedValue(_ value: Any?) -> Any? {
///     (value as? Data).map { Color(red: $0[0], green: $0[1], blue: $0[2]) }
///   }
/// }
/// ```
open class ValueTransformer {
  /// A transformer.
  public required init() {}

  /// The class of what is made; nothing here depends on it.
  open class func transformedValueClass() -> AnyClass { NSObject.self }

  /// Whether the value can be made again out of what was made.
  open class func allowsReverseTransformation() -> Bool { true }

  /// What is made of a value; nil for nothing, as at first.
  open func transformedValue(_ value: Any?) -> Any? { nil }

  /// The value that something was made of; at first what is made of that in turn.
  open func reverseTransformedValue(_ value: Any?) -> Any? {
    Self.allowsReverseTransformation() ? transformedValue(value) : nil
  }

  // MARK: - Names

  private struct Registry: @unchecked Sendable {
    var transformers: [NSValueTransformerName: ValueTransformer] = [:]
  }

  private static let registry = Mutex(Registry())

  /// Gives a transformer a name by which it is found; nil takes the name away.
  public class func setValueTransformer(
    _ transformer: ValueTransformer?, forName name: NSValueTransformerName
  ) {
    // Who uses a transformer by its name uses it wherever its values are, as on Apple's systems.
    nonisolated(unsafe) let transformer = transformer
    registry.withLock { $0.transformers[name] = transformer }
  }

  /// The names of all transformers, sorted.
  public class func valueTransformerNames() -> [NSValueTransformerName] {
    registry.withLock { Array($0.transformers.keys) }.sorted { $0.rawValue < $1.rawValue }
  }

  fileprivate static func named(_ name: NSValueTransformerName) -> ValueTransformer? {
    registry.withLock { $0 }.transformers[name]
  }
}

/// The name of a transformer.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
  /// The name as text.
  public let rawValue: String
  /// A name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// A name.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// What an initialiser can take from elsewhere instead of making it: a class cannot, a protocol can.
private protocol Replaceable {}

extension Replaceable {
  fileprivate init(present: Self) { self = present }
}

extension ValueTransformer: Replaceable {
  /// The transformer that has a name; nil where none has.
  public convenience init?(forName name: NSValueTransformerName) {
    guard let present = Self.named(name) as? Self else { return nil }
    self.init(present: present)
  }
}
#endif
