import SwiftSyntax
import SwiftSyntaxMacros

/// The macro that `@Model` attaches to a stored property, to keep its value in the backing data.
enum PersistedPropertyMacro: AccessorMacro, PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let property = StoredProperty(declaration) else { return [] }
    let value = property.isTransformable ? "TransformableValue" : "Value"
    let path = "\\.`\(property.name)`"
    return [
      """
      @storageRestrictions(accesses: _$backingData, initializes: _\(raw: property.name))
      init(initialValue) {
        _$backingData.set\(raw: value)(forKey: \(raw: path), to: initialValue)
        _\(raw: property.name) = _SwiftDataNoType()
      }
      """,
      """
      get { self.get\(raw: value)(forKey: \(raw: path)) }
      """,
      """
      set { self.set\(raw: value)(forKey: \(raw: path), to: newValue) }
      """,
    ]
  }

  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let property = StoredProperty(declaration) else { return [] }
    return [
      """
      @Transient
      private var _\(raw: property.name): _SwiftDataNoType = _SwiftDataNoType()
      """
    ]
  }
}
