#if !canImport(ObjectiveC)
import Foundation
import Synchronization

/// A transformation of values into others and back, which Foundation has on Apple's systems only.
///
/// For an attribute marked with `.transformable(by:)`, the result is data.
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
  /// Creates a transformer.
  public required init() {}

  /// The class of the result; not used here.
  open class func transformedValueClass() -> AnyClass { NSObject.self }

  /// Returns whether the transformation can be reversed.
  open class func allowsReverseTransformation() -> Bool { true }

  /// Returns the transformed value, or `nil`, which is the default.
  open func transformedValue(_ value: Any?) -> Any? { nil }

  /// Returns the original value; by default, the transformed value of the argument.
  open func reverseTransformedValue(_ value: Any?) -> Any? {
    Self.allowsReverseTransformation() ? transformedValue(value) : nil
  }

  // MARK: - Names

  private struct Registry: @unchecked Sendable {
    var transformers: [NSValueTransformerName: ValueTransformer] = [:]
  }

  private static let registry = Mutex(Registry())

  /// Registers a transformer under a name; `nil` removes the registration.
  public class func setValueTransformer(
    _ transformer: ValueTransformer?, forName name: NSValueTransformerName
  ) {
    // As on Apple's systems, a registered transformer is used wherever its values are.
    nonisolated(unsafe) let transformer = transformer
    registry.withLock { $0.transformers[name] = transformer }
  }

  /// Returns the names of all registered transformers, sorted.
  public class func valueTransformerNames() -> [NSValueTransformerName] {
    registry.withLock { Array($0.transformers.keys) }.sorted { $0.rawValue < $1.rawValue }
  }

  fileprivate static func named(_ name: NSValueTransformerName) -> ValueTransformer? {
    registry.withLock { $0 }.transformers[name]
  }
}

/// The name of a value transformer.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
  /// The name as text.
  public let rawValue: String
  /// Creates a name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Creates a name.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// A protocol initializer can return an existing object; a class initializer cannot.
private protocol Replaceable {}

extension Replaceable {
  fileprivate init(present: Self) { self = present }
}

extension ValueTransformer: Replaceable {
  /// Returns the transformer that is registered under a name, or `nil`.
  public convenience init?(forName name: NSValueTransformerName) {
    guard let present = Self.named(name) as? Self else { return nil }
    self.init(present: present)
  }
}
#endif
