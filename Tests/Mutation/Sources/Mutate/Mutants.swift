import SwiftOperators
import SwiftParser
import SwiftSyntax

/// One change to the code.
struct Mutant: Encodable {
  /// The number that switches it on.
  let number: Int
  /// What identifies it as long as its function has the same code at this place.
  let key: String
  let path: String
  let line: Int
  let function: String
  let from: String
  let to: String
}

/// Returns a source with all its mutants, each behind its number.
func mutate(
  _ source: String, path: String, functions: [String], rejected: Set<String>, number: inout Int
) -> (text: String, mutants: [Mutant]) {
  let parsed = Parser.parse(source: source)
  let tree = OperatorTable.standardOperators.foldAll(parsed) { _ in }
  let finder = SiteFinder(functions: functions)
  finder.walk(tree)
  let lines = SourceLocationConverter(fileName: path, tree: tree)
  var mutants: [Mutant] = []
  var changes: [SyntaxIdentifier: [(number: Int, text: String)]] = [:]
  var statements: Set<SyntaxIdentifier> = []
  var occurrences: [String: Int] = [:]
  for site in finder.sites {
    let from = oneLine(site.shown ?? site.node.trimmedDescription)
    for (to, shown) in site.changes {
      var key = "\(path) \(site.function): \(from) → \(oneLine(shown))"
      let occurrence = occurrences[key, default: 0] + 1
      occurrences[key] = occurrence
      if occurrence > 1 { key += " (\(occurrence))" }
      number += 1
      if rejected.contains(key) { continue }
      changes[site.node.id, default: []].append((number, to))
      if site.isStatement { statements.insert(site.node.id) }
      mutants.append(
        Mutant(
          number: number, key: key, path: path,
          line: lines.location(for: site.node.positionAfterSkippingLeadingTrivia).line,
          function: site.function, from: from, to: oneLine(shown)))
    }
  }

  func text(_ node: Syntax) -> String {
    if let token = node.as(TokenSyntax.self) { return token.description }
    let inner = node.children(viewMode: .sourceAccurate).map(text).joined()
    guard let changes = changes[node.id] else { return inner }
    let (before, after) = (node.leadingTrivia.description, node.trailingTrivia.description)
    let body = inner.dropFirst(before.count).dropLast(after.count)
    var result: String
    if statements.contains(node.id) {
      result = ""
      for change in changes { result += "if mutant(\(change.number)) { \(change.text) } else " }
      result += "{ \(body) }"
    } else {
      result = "("
      for change in changes { result += "mutant(\(change.number)) ? \(change.text) : " }
      result += body + ")"
    }
    return before + result + after
  }
  return (text(tree), mutants)
}

private func oneLine(_ text: String) -> String {
  text.split(separator: "\n").map { line in
    let start = line.firstRange(of: "//")?.lowerBound ?? line.endIndex
    return String(line[..<start])
  }.joined(separator: " ").split(separator: " ").joined(separator: " ")
}

/// A place that can be changed.
struct Site {
  let node: Syntax
  let function: String
  let isStatement: Bool
  /// The original as it is shown, if not as it is written.
  let shown: String?
  /// What takes its place, as code and as it is shown.
  var changes: [(code: String, shown: String)]
}

/// Finds the places in a file.
final class SiteFinder: SyntaxVisitor {
  private(set) var sites: [Site] = []
  private let wanted: Set<String>
  private let unwanted: Set<String>

  init(functions: [String]) {
    wanted = Set(functions.filter { !$0.hasPrefix("!") })
    unwanted = Set(functions.filter { $0.hasPrefix("!") }.map { String($0.dropFirst()) })
    super.init(viewMode: .sourceAccurate)
  }

  // MARK: - What is left out

  override func visit(_ node: ThrowStmtSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    .skipChildren
  }
  override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
    .skipChildren
  }
  override func visit(_ node: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind {
    .skipChildren
  }

  // MARK: - Operators

  private static let comparisons = [
    "<": "<=", "<=": "<", ">": ">=", ">=": ">",
  ]
  private static let others = [
    "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+": "-", "-": "+",
  ]

  override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    let isCondition = isCondition(Syntax(node))
    let word = node.operator.trimmedDescription
    func replaced(_ word: String) -> String {
      node.leftOperand.trimmedDescription + node.leftOperand.trailingTrivia.description
        + node.operator.leadingTrivia.description + word
        + node.operator.trailingTrivia.description + node.rightOperand.trimmedDescription
    }
    if let near = Self.comparisons[word] {
      add(node, [replaced(near)])
    } else if word == "??" {
      add(node, [node.rightOperand.trimmedDescription])
    } else if let other = Self.others[word] {
      let isNumber = word != "+" && word != "-" || !isText(Syntax(node))
      if isNumber, !isCondition || word == "&&" || word == "||" { add(node, [replaced(other)]) }
    }
    return .visitChildren
  }

  /// Whether a sum is one of texts or arrays, as far as its operands show.
  private func isText(_ node: Syntax) -> Bool {
    var top = node
    while let parent = top.parent?.as(InfixOperatorExprSyntax.self) { top = Syntax(parent) }
    func isText(_ node: Syntax) -> Bool {
      if let infix = node.as(InfixOperatorExprSyntax.self) {
        return isText(Syntax(infix.leftOperand)) || isText(Syntax(infix.rightOperand))
      }
      return node.is(StringLiteralExprSyntax.self) || node.is(ArrayExprSyntax.self)
        || node.tokens(viewMode: .sourceAccurate).contains {
          ["map", "compactMap"].contains($0.text)
        }
    }
    return isText(top)
  }

  override func visit(_ node: PrefixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    if node.operator.text == "!", !isCondition(Syntax(node)) {
      add(node, [node.expression.trimmedDescription])
    }
    return .visitChildren
  }

  override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    if !isCondition(Syntax(node)) { add(node, [node.literal.text == "true" ? "false" : "true"]) }
    return .visitChildren
  }

  // MARK: - Conditions

  /// Whether an expression decides a branch alone, so that it is replaced by true and false.
  private func isCondition(_ node: Syntax) -> Bool {
    switch node.parent?.as(SyntaxEnum.self) {
    case .conditionElement: true
    case .ternaryExpr(let parent): parent.condition.id == node.id
    case .whereClause: true
    case .tryExpr(let parent): isCondition(Syntax(parent))
    default: false
    }
  }

  override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
    guard case .expression(let expression) = node.condition else { return .visitChildren }
    let list = node.parent?.as(ConditionElementListSyntax.self)
    let firstExpression = list?.first {
      if case .expression = $0.condition { true } else { false }
    }
    // One false element makes the whole condition false. A loop that never ends says nothing.
    let isLoop = list?.parent?.is(WhileStmtSyntax.self) ?? false
    let words = (isLoop ? [] : ["true"]) + (firstExpression?.id == node.id ? ["false"] : [])
    force(expression, words)
    return .visitChildren
  }

  override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
    force(node.condition, ["true", "false"])
    return .visitChildren
  }

  override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
    force(node.condition, ["true", "false"])
    return .visitChildren
  }

  private func force(_ condition: ExprSyntax, _ words: [String]) {
    guard !condition.is(BooleanLiteralExprSyntax.self) else { return }
    // The code of the condition stays, so that nothing is unused.
    let inner = condition.as(TryExprSyntax.self)?.expression ?? condition
    add(inner, words)
  }

  // MARK: - Minimum and maximum, first and last

  private static let partners = [
    "min": "max", "max": "min", "first": "last", "last": "first",
  ]

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    if let name = node.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName,
      name.text == "min" || name.text == "max", node.arguments.count == 2
    {
      swap(name, in: Syntax(node))
    } else if let member = node.calledExpression.as(MemberAccessExprSyntax.self),
      member.base != nil, ["min", "max"].contains(member.declName.baseName.text),
      node.arguments.isEmpty
    {
      swap(member.declName.baseName, in: Syntax(node))
    }
    return .visitChildren
  }

  override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
    let name = node.declName.baseName
    guard let base = node.base, ["first", "last"].contains(name.text),
      !base.is(SuperExprSyntax.self),
      !isAssigned(Syntax(node))
    else { return .visitChildren }
    swap(name, in: Syntax(node))
    return .visitChildren
  }

  private func isAssigned(_ node: Syntax) -> Bool {
    if node.parent?.is(InOutExprSyntax.self) ?? false { return true }
    guard let parent = node.parent?.as(InfixOperatorExprSyntax.self) else { return false }
    return parent.leftOperand.id == node.id && parent.operator.is(AssignmentExprSyntax.self)
  }

  /// Replaces a name by its partner, in the whole chain of members: within it a question mark may reach further.
  private func swap(_ name: TokenSyntax, in node: Syntax) {
    guard let partner = Self.partners[name.text] else { return }
    var top = node
    while let parent = top.parent, isChain(parent, after: top) { top = parent }
    let start = top.positionAfterSkippingLeadingTrivia
    let text = Array(top.trimmedDescription.utf8)
    let offset = name.positionAfterSkippingLeadingTrivia.utf8Offset - start.utf8Offset
    let code =
      String(decoding: text[..<offset], as: UTF8.self) + partner
      + String(decoding: text[(offset + name.text.utf8.count)...], as: UTF8.self)
    add(top, [code])
  }

  private func isChain(_ parent: Syntax, after node: Syntax) -> Bool {
    switch parent.as(SyntaxEnum.self) {
    case .memberAccessExpr(let parent): parent.base?.id == node.id
    case .functionCallExpr(let parent): parent.calledExpression.id == node.id
    case .subscriptCallExpr(let parent): parent.calledExpression.id == node.id
    case .optionalChainingExpr, .forceUnwrapExpr: true
    default: false
    }
  }

  // MARK: - Statements

  override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
    guard case .expr(let expression) = node.item, !isResult(node) else { return .visitChildren }
    let inner = expression.as(TryExprSyntax.self)?.expression ?? expression
    if let call = inner.as(FunctionCallExprSyntax.self) {
      let name = call.calledExpression.trimmedDescription
      if !name.hasSuffix(".init"), !name.hasPrefix("with") { addStatement(expression, [""]) }
    } else if let infix = inner.as(InfixOperatorExprSyntax.self) {
      let word = infix.operator.trimmedDescription
      switch word {
      case "+=", "-=":
        let other = word == "+=" ? "-=" : "+="
        let code =
          infix.leftOperand.trimmedDescription + " \(other) "
          + infix.rightOperand.trimmedDescription
        addStatement(expression, [code, ""])
      case "=":
        let isDiscarded = infix.leftOperand.is(DiscardAssignmentExprSyntax.self)
        if isDiscarded || !isInitialization(infix.leftOperand) { addStatement(expression, [""]) }
      default: break
      }
    }
    return .visitChildren
  }

  /// Whether an item is the value of its function, closure or branch.
  private func isResult(_ node: CodeBlockItemSyntax) -> Bool {
    guard let list = node.parent?.as(CodeBlockItemListSyntax.self), list.count == 1 else {
      return false
    }
    var parent = list.parent
    if parent?.is(CodeBlockSyntax.self) ?? false { parent = parent?.parent }
    switch parent?.as(SyntaxEnum.self) {
    case .functionDecl(let function): return function.signature.returnClause != nil
    case .initializerDecl, .deferStmt, .forStmt, .whileStmt, .guardStmt, .doStmt, .catchClause,
      .repeatStmt:
      return false
    case .ifExpr, .switchCase:
      // Of an if or switch that is a value, each branch is one.
      var outer = parent
      while let next = outer?.parent, !next.is(CodeBlockItemSyntax.self) {
        if next.is(InitializerClauseSyntax.self) || next.is(InfixOperatorExprSyntax.self)
          || next.is(ReturnStmtSyntax.self) || next.is(LabeledExprSyntax.self)
        {
          return true
        }
        outer = next
      }
      return outer?.parent?.as(CodeBlockItemSyntax.self).map(isResult) ?? true
    default: return true
    }
  }

  /// Whether an assignment may be the first one to something, which cannot be left out.
  private func isInitialization(_ target: ExprSyntax) -> Bool {
    if target.is(TupleExprSyntax.self) { return true }
    var parent = target.parent
    while let next = parent {
      if next.is(InitializerDeclSyntax.self) { return true }
      if let list = next.as(CodeBlockItemListSyntax.self) {
        for case .decl(let declaration) in list.map(\.item) {
          for binding in declaration.as(VariableDeclSyntax.self)?.bindings ?? []
          where binding.initializer == nil
            && binding.pattern.trimmedDescription == target.trimmedDescription
          {
            return true
          }
        }
      }
      parent = next.parent
    }
    return false
  }

  // MARK: - Sites

  private func addStatement(_ node: some SyntaxProtocol, _ codes: [String]) {
    guard let function = function(of: Syntax(node)) else { return }
    sites.append(
      Site(
        node: Syntax(node), function: function, isStatement: true, shown: nil,
        changes: codes.map { ($0, $0.isEmpty ? "nothing" : $0) }))
  }

  private func add(_ node: some SyntaxProtocol, _ codes: [String]) {
    guard let function = function(of: Syntax(node)) else { return }
    sites.append(
      Site(
        node: Syntax(node), function: function, isStatement: false, shown: nil,
        changes: codes.map { ($0, $0) }))
  }

  /// Returns the name of the declaration that a node is in; `nil` if that is left out.
  private func function(of node: Syntax) -> String? {
    var names: [String] = []
    var own: [String] = []
    var parent = node.parent
    while let next = parent {
      switch next.as(SyntaxEnum.self) {
      case .functionDecl(let declaration): own.append(declaration.name.text)
      case .initializerDecl: own.append("init")
      case .subscriptDecl: own.append("subscript")
      case .variableDecl(let declaration):
        // A variable of a function says less than the function.
        if declaration.parent?.is(MemberBlockItemSyntax.self) ?? false,
          let binding = declaration.bindings.first
        {
          own.append(binding.pattern.trimmedDescription)
        }
      case .structDecl(let declaration): names.insert(declaration.name.text, at: 0)
      case .classDecl(let declaration): names.insert(declaration.name.text, at: 0)
      case .enumDecl(let declaration): names.insert(declaration.name.text, at: 0)
      case .extensionDecl(let declaration):
        names.insert(declaration.extendedType.trimmedDescription, at: 0)
      default: break
      }
      parent = next.parent
    }
    guard wanted.isEmpty || own.contains(where: wanted.contains),
      !own.contains(where: unwanted.contains)
    else { return nil }
    return (names + own.reversed()).joined(separator: ".")
  }
}
