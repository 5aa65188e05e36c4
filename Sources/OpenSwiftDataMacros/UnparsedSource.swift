import SwiftSyntax

// The compiler parses the source that a macro returns. Parsing it before, only to print it again, takes
// a third of a macro's time, so that these nodes have their source in one token.

extension DeclSyntax {
  init(unparsed source: String) {
    self.init(MissingDeclSyntax(placeholder: .identifier(source)))
  }
}

extension AccessorDeclSyntax {
  init(unparsed source: String) { self.init(accessorSpecifier: .identifier(source)) }
}
