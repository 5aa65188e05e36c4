import SwiftSyntax

/// A stored property in the declaration of a model's class.
struct StoredProperty {
  let declaration: VariableDeclSyntax
  let binding: PatternBindingSyntax
  let name: String

  /// - Returns: `nil` for members that are not stored in an object: functions, computed and static
  ///   properties.
  init?(_ member: some SyntaxProtocol) {
    guard let declaration = member.as(VariableDeclSyntax.self), !Self.isShared(declaration),
      let binding = declaration.bindings.first,
      let pattern = binding.pattern.as(IdentifierPatternSyntax.self),
      !Self.isComputed(binding)
    else { return nil }
    self.declaration = declaration
    self.binding = binding
    name = pattern.identifier.text.trimmingBackticks
  }

  /// Whether it belongs to the class rather than to each object.
  static func isShared(_ declaration: VariableDeclSyntax) -> Bool {
    declaration.modifiers.contains { ["static", "class"].contains($0.name.text) }
  }

  private static func isComputed(_ binding: PatternBindingSyntax) -> Bool {
    switch binding.accessorBlock?.accessors {
    case .getter: true
    case .accessors(let accessors):
      !accessors.contains { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
    case nil: false
    }
  }

  /// Whether the store keeps it, and can.
  var isPersisted: Bool {
    !isTransient && unsupportedModifier == nil
      && declaration.bindings.count == 1 && hasPlainName
  }
  /// Whether the store does not keep it.
  var isTransient: Bool { attribute("Transient") != nil }
  /// A modifier that a property of a model cannot have.
  var unsupportedModifier: String? {
    declaration.modifiers.map(\.name.text).first { ["lazy", "weak", "unowned"].contains($0) }
  }

  /// An attribute of the declaration.
  func attribute(_ name: String) -> AttributeSyntax? {
    for case .attribute(let attribute) in declaration.attributes
    where attribute.attributeName.trimmedDescription.split(separator: ".").last.map(String.init)
      == name
    {
      return attribute
    }
    return nil
  }

  /// Whether a transformer converts its value for the store, so that it need not be codable.
  var isTransformable: Bool {
    guard case .argumentList(let list) = attribute("Attribute")?.arguments else { return false }
    return list.contains { argument in
      argument.expression.as(FunctionCallExprSyntax.self)?.calledExpression
        .as(MemberAccessExprSyntax.self)?.declName.baseName.text == "transformable"
    }
  }

  /// The initial value of the property with its type; `nil` if there is none.
  var defaultValue: String? {
    guard let value = binding.initializer?.value.trimmedDescription else { return nil }
    guard let type = binding.typeAnnotation?.type.trimmedDescription else { return value }
    // `as` does not accept an implicitly unwrapped type.
    return "(\(value)) as \(isImplicitlyUnwrapped ? type.dropLast() + "?" : type)"
  }

  /// Whether the property has a value without an assignment.
  var hasDefault: Bool {
    binding.initializer != nil
      || binding.typeAnnotation?.type.is(OptionalTypeSyntax.self) ?? false
      || isImplicitlyUnwrapped
  }

  private var isImplicitlyUnwrapped: Bool {
    binding.typeAnnotation?.type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) ?? false
  }

  /// Whether the name can be that of a column, unlike a raw identifier with other characters.
  var hasPlainName: Bool {
    func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
    guard let first = name.unicodeScalars.first, !isDigit(first) else { return false }
    return name.unicodeScalars.allSatisfy { scalar in
      !scalar.isASCII || scalar == "_" || scalar.properties.isAlphabetic || isDigit(scalar)
    }
  }

  /// The description of the property for the schema, as source; `nil` for a property without options.
  var metadata: String? {
    for kind in ["Attribute", "Relationship"] {
      guard let attribute = attribute(kind) else { continue }
      let arguments: String
      switch attribute.arguments {
      case .argumentList(let list): arguments = list.trimmedDescription
      default: arguments = ""
      }
      return "OpenSwiftData.Schema.\(kind)(\(arguments))"
    }
    return nil
  }
}

extension String {
  /// A name without the backticks that let it be a keyword.
  var trimmingBackticks: String {
    hasPrefix("`") && hasSuffix("`") && count > 2 ? String(dropFirst().dropLast()) : self
  }
}
