import SwiftDiagnostics
import SwiftSyntax

/// Members inside `#if`, and those that do not declare a single property.
extension ModelDeclaration {
  var hasInitializer: Bool { Self.hasInitializer(declaration.memberBlock.members) }

  private static func hasInitializer(_ members: MemberBlockItemListSyntax) -> Bool {
    members.contains { member in
      member.decl.is(InitializerDeclSyntax.self)
        || branches(of: member.decl).contains { hasInitializer($0) }
    }
  }

  /// The errors for members that would otherwise be left out.
  var unreadableMembers: [Diagnostic] {
    Self.unreadable(declaration.memberBlock.members, isConditional: false)
  }

  private static func unreadable(
    _ members: MemberBlockItemListSyntax, isConditional: Bool
  ) -> [Diagnostic] {
    members.flatMap { member -> [Diagnostic] in
      let inner = branches(of: member.decl).flatMap { unreadable($0, isConditional: true) }
      guard let problem = problem(with: member.decl, isConditional: isConditional) else {
        return inner
      }
      return inner + [problem.diagnostic(at: member.decl)]
    }
  }

  private static func problem(
    with member: DeclSyntax, isConditional: Bool
  ) -> ModelDiagnostic? {
    if StoredProperty.isTuple(member) { return .severalNames }
    guard isConditional else { return nil }
    if let property = StoredProperty(member), !property.isTransient {
      return .conditional(property.name)
    }
    if let constraint = member.as(MacroExpansionDeclSyntax.self), isConstraint(constraint) {
      return .conditional("#" + constraint.macroName.text)
    }
    return nil
  }

  /// The members in the branches of an `#if`; none of any other member.
  private static func branches(of member: DeclSyntax) -> [MemberBlockItemListSyntax] {
    guard let conditional = member.as(IfConfigDeclSyntax.self) else { return [] }
    return conditional.clauses.compactMap { clause in
      if case .decls(let members)? = clause.elements { members } else { nil }
    }
  }

  /// Whether a macro in the class is one of those that `@Model` reads.
  static func isConstraint(_ macro: MacroExpansionDeclSyntax) -> Bool {
    ["Unique", "Index"].contains(macro.macroName.text)
  }
}

extension StoredProperty {
  /// Whether a member declares several stored properties by a tuple.
  fileprivate static func isTuple(_ member: DeclSyntax) -> Bool {
    guard let declaration = member.as(VariableDeclSyntax.self), !isShared(declaration) else {
      return false
    }
    return declaration.bindings.first?.pattern.is(TuplePatternSyntax.self) ?? false
  }
}
