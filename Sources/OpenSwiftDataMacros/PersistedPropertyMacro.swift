import SwiftSyntax
import SwiftSyntaxMacros

/// The macro that `@Model` attaches to a stored property, to keep its value in the backing data.
enum PersistedPropertyMacro: AccessorMacro, PeerMacro {
  static let formatMode = FormatMode.disabled

  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let property = StoredProperty(declaration) else { return [] }
    let value = property.isTransformable ? "TransformableValue" : "Value"
    let path = "\\.`\(property.name)`"
    // The getter does not return the call itself: for a property of an unknown type, the compiler would
    // add to its error what each overload returns.
    return [
      AccessorDeclSyntax(
        unparsed: """
          @storageRestrictions(accesses: _$backingData, initializes: _\(property.name))
          init(initialValue) {
            _$backingData.set\(value)(forKey: \(path), to: initialValue)
            _\(property.name) = _SwiftDataNoType()
          }
          get {
            let value = self.get\(value)(forKey: \(path))
            return value
          }
          set { self.set\(value)(forKey: \(path), to: newValue) }
          """)
    ]
  }

  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let property = StoredProperty(declaration) else { return [] }
    return [
      DeclSyntax(unparsed: "private var _\(property.name): _SwiftDataNoType = _SwiftDataNoType()")
    ]
  }
}
