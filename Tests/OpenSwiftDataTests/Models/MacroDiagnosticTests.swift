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

  /// What the compiler says after its own error would hide it.
  @Test func `a property of an unknown type has the error of the compiler and no notes`()
    async throws
  {
    let models = """
      import OpenSwiftData
      @Model final class A {
        var name: String
        var place: Place
        var kind: Kind?
        var others: [Other]
        init(name: String, place: Place) { self.name = name }
      }
      @Model class B { var other: Other?; init() {} }

      """
    let folder = try TemporaryFolder()
    try FileBytes.write(Array(models.utf8), to: folder.file("Models.swift"))
    let plugin = Tool.built("OpenSwiftDataMacros-tool").path
    let result = try await #require(Tool("swiftc")).run(
      ["-typecheck", "-parse-as-library", "-load-plugin-executable"]
        + [plugin + "#OpenSwiftDataMacros"] + Self.libraryOptions(besides: plugin)
        + [folder.file("Models.swift")])
    let lines = result.errors.split(separator: "\n").filter { !$0.hasPrefix(" ") }
      .filter { $0.contains("error: ") || $0.contains("note: ") || $0.contains("warning: ") }
    #expect(lines.count == 5, "\(result.errors)")
    for line in lines {
      #expect(
        line.hasPrefix(folder.file("Models.swift")) && line.contains("cannot find type"),
        "\(result.errors)")
    }
  }

  /// The options with which the compiler finds the modules that were built beside a program.
  private static func libraryOptions(besides program: String) throws -> [String] {
    let build = URL(fileURLWithPath: program).deletingLastPathComponent().resolvingSymlinksInPath()
    let package = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
      url.deletingLastPathComponent()
    }
    let checkouts = build.deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("checkouts")
    let files = FileManager.default
    var folders = try files.contentsOfDirectory(at: build, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "build" && !$0.lastPathComponent.hasSuffix("-tool.build") }
    for root in [package.appendingPathComponent("Sources"), checkouts] {
      let all = files.enumerator(at: root, includingPropertiesForKeys: nil)
      folders += (all?.compactMap { $0 as? URL } ?? []).filter {
        $0.lastPathComponent == "module.modulemap" && !$0.path.contains("/Tests/")
      }.map { $0.deletingLastPathComponent() }
    }
    let maps = folders.map { $0.appendingPathComponent("module.modulemap").path }
      .filter(files.fileExists)
    return ["-I", build.appendingPathComponent("Modules").path]
      + maps.flatMap { ["-Xcc", "-fmodule-map-file=" + $0] }
      + folders.filter { $0.pathExtension != "build" }.flatMap { ["-I", $0.path] }
  }
}
