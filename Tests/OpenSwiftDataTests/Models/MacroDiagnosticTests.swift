import Foundation
import TestSupport
import Testing

/// What the compiler says of classes that cannot be models, with the macros that were built.
@Suite(.bounded, .enabled(if: Tool("swiftc") != nil)) struct MacroDiagnosticTests {
  /// The macros as the library declares them, without the library.
  private static let declarations = """
    @attached(member) @attached(memberAttribute) @attached(extension)
    macro Model() = #externalMacro(module: "OpenSwiftDataMacros", type: "ModelMacro")
    @attached(member) @attached(extension)
    macro ModelActor() = #externalMacro(module: "OpenSwiftDataMacros", type: "ModelActorMacro")
    @attached(peer)
    macro Attribute() = #externalMacro(module: "OpenSwiftDataMacros", type: "PropertyMarkerMacro")
    @attached(peer)
    macro Relationship() =
      #externalMacro(module: "OpenSwiftDataMacros", type: "PropertyMarkerMacro")
    @attached(peer)
    macro Transient() = #externalMacro(module: "OpenSwiftDataMacros", type: "PropertyMarkerMacro")
    @freestanding(declaration)
    macro Index(_ names: String...) =
      #externalMacro(module: "OpenSwiftDataMacros", type: "ConstraintMacro")

    """

  @Test func `each mistake in a model has a diagnostic`() async throws {
    let mistakes = [
      ("@Model struct A { var name: String }", "declare 'A' as a class"),
      ("@Model class C { var name = 1 }", "requires an initializer"),
      ("class B {}; @Model class C2: B { var b = 1 }", "calls super.init"),
      ("@Model class F { lazy var a = 1; init() {} }", "cannot be 'lazy'"),
      ("@Model class G { weak var a: G?; init() {} }", "cannot be 'weak'"),
      ("@Model class H { var a = 1, b = 2; init() {} }", "a declaration of its own"),
      ("@Model class I { @Transient var a: Int; init() { a = 1 } }", "give it a default value"),
      ("@Model class J { @Attribute @Relationship var a = 1; init() {} }", "remove '@Attribute'"),
      ("@ModelActor class K {}", "declare 'K' as an actor"),
      ("@Model class L { var (a, b) = (1, 2); init() {} }", "a declaration of its own"),
      ("@Model class M { var `my note` = 1; init() {} }", "cannot be the name of a column"),
    ]
    let conditional = [
      ("var a = 1", "'a' stands under '#if'"),
      ("#Index(\"a\")", "'#Index' stands under '#if'"),
      ("var (a, b) = (1, 2)", "a declaration of its own"),
    ]
    let conditions = conditional.enumerated().map { index, mistake in
      "@Model class P\(index) { init() {}\n#if true\n\(mistake.0)\n#endif\n}"
    }
    let folder = try TemporaryFolder()
    let source = Self.declarations + (mistakes.map(\.0) + conditions).joined(separator: "\n") + "\n"
    try FileBytes.write(Array(source.utf8), to: folder.file("Mistakes.swift"))
    let plugin = Tool.built("OpenSwiftDataMacros-tool").path
    let result = try await #require(Tool("swiftc")).run([
      "-typecheck", "-load-plugin-executable", plugin + "#OpenSwiftDataMacros",
      folder.file("Mistakes.swift"),
    ])
    #expect(result.status != 0)
    let first = Self.declarations.split(separator: "\n", omittingEmptySubsequences: false).count
    for (index, mistake) in mistakes.enumerated() {
      let place = "Mistakes.swift:\(first + index):"
      #expect(
        result.errors.split(separator: "\n").contains {
          $0.contains(place) && $0.contains("error:") && $0.contains(mistake.1)
        }, "\(mistake.0)\n\(result.errors)")
    }
    for (index, mistake) in conditional.enumerated() {
      let place = "Mistakes.swift:\(first + mistakes.count + 5 * index + 2):"
      #expect(
        result.errors.split(separator: "\n").contains {
          $0.contains(place) && $0.contains("error:") && $0.contains(mistake.1)
        }, "\(mistake.0)\n\(result.errors)")
    }
  }

  /// What the macro has no part in may stand in a model as anywhere else.
  @Test func `members that are not stored are accepted`() async throws {
    let model = """
      @Model class A {
        #if true
        @Transient var cache = 1
        var double: Int { cache * 2 }
        init() {}
        #endif
        @Transient var other: A!
        @Transient var `raw name` = 1
        static var (c, d) = (1, 2)
      }

      """
    let folder = try TemporaryFolder()
    try FileBytes.write(Array((Self.declarations + model).utf8), to: folder.file("Model.swift"))
    let plugin = Tool.built("OpenSwiftDataMacros-tool").path
    let result = try await #require(Tool("swiftc")).run([
      "-typecheck", "-load-plugin-executable", plugin + "#OpenSwiftDataMacros",
      folder.file("Model.swift"),
    ])
    // What it makes needs the library, which is not there; in the class itself nothing is wrong.
    let own = result.errors.split(separator: "\n")
      .filter { $0.contains("Model.swift:") && $0.contains("error:") }
    for words in ["under '#if'", "a column", "default value", "an initializer", "of its own"] {
      #expect(!own.contains { $0.contains(words) }, "\(result.errors)")
    }
    #expect(result.errors.contains("OpenSwiftData"), "\(result.errors)")
  }
}
