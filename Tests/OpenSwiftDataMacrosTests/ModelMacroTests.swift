import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import Testing

@testable import OpenSwiftDataMacros

/// What the macros say of a class that cannot be a model, and what they make of one that can.
@Suite struct ModelMacroTests {
  /// Expands the macros in a source, and gives it with what was said about it.
  private func expand(_ source: String) -> (text: String, messages: [String]) {
    let file = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(
      sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")])
    let macros: [String: any Macro.Type] = [
      "Model": ModelMacro.self, "ModelActor": ModelActorMacro.self,
      "_PersistedProperty": PersistedPropertyMacro.self, "Attribute": PropertyMarkerMacro.self,
      "Relationship": PropertyMarkerMacro.self, "Transient": PropertyMarkerMacro.self,
      "Unique": ConstraintMacro.self, "Index": ConstraintMacro.self,
    ]
    let expanded = file.expand(macros: macros) { node in
      BasicMacroExpansionContext(
        sharingWith: context, lexicalContext: node.allMacroLexicalContexts())
    }
    return (expanded.description, context.diagnostics.map(\.message))
  }

  @Test(
    arguments: [
      ("@Model struct Trip { var name: String }", "makes models of classes"),
      ("@Model enum Trip {}", "makes models of classes"),
      ("@Model class Trip { var name = 1 }", "requires an initializer"),
      ("@Model class Trip { let id = 1; init() {} }", "declare it with 'var'"),
      ("@Model class Trip { var a = 1 { didSet {} }; init() {} }", "observers"),
      ("@Model class Trip { lazy var a = 1; init() {} }", "cannot be 'lazy'"),
      ("@Model class Trip { weak var a: Trip?; init() {} }", "cannot be 'weak'"),
      ("@Model class Trip { var a, b: Int; init() {} }", "one by one"),
      ("@Model class Trip { @Transient var a: Int; init() {} }", "default value"),
      ("@Model class Trip { @Attribute @Relationship var a: Int; init() {} }", "either"),
      ("@ModelActor class Worker {}", "needs an actor"),
    ])
  func mistakesAreExplained(_ source: String, _ words: String) {
    let (_, messages) = expand(source)
    #expect(messages.contains { $0.contains(words) }, "\(messages)")
  }

  @Test func whatASchemaNeedsStandsInTheMetadata() {
    let (text, messages) = expand(
      """
      @Model public final class Trip {
        #Unique<Trip>([\\.name])
        @Attribute(.unique, originalName: "title") var name: String = "x"
        @Relationship(deleteRule: .cascade, inverse: \\Item.trip) var items: [Item] = []
        @Transient var isUnread = false
        static let shared = 1
        var count: Int { items.count }
        public init() {}
      }
      """)
    #expect(messages == [])
    for part in [
      #"name: "name", keypath: \Trip.`name`, defaultValue: ("x") as String, "#
        + #"metadata: OpenSwiftData.Schema.Attribute(.unique, originalName: "title")"#,
      #"metadata: OpenSwiftData.Schema.Relationship(deleteRule: .cascade, inverse: \Item.trip)"#,
      #"metadata: OpenSwiftData.Schema.Unique<Trip>([\.name])"#,
      "public required init(backingData: any OpenSwiftData.BackingData<Trip>)",
      "extension Trip: OpenSwiftData.PersistentModel",
    ] {
      #expect(text.contains(part), "\(text)")
    }
    for name in ["isUnread", "shared", "count"] {
      #expect(!text.contains("keypath: \\Trip.`\(name)`"), "\(text)")
    }
  }
}
