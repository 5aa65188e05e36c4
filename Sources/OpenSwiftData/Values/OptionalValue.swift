/// What an optional can be asked without knowing its type.
protocol OptionalValue {
  /// The type of what may be there.
  static var wrappedType: Any.Type { get }
  /// Nil.
  static var none: Self { get }
  /// What is there; nil for nothing.
  var unwrapped: Any? { get }
}

extension Optional: OptionalValue {
  static var wrappedType: Any.Type { Wrapped.self }
  var unwrapped: Any? { map { $0 } }
}
