#if os(Linux)
import AppModels
import OpenSwiftData
import TestSupport
import Testing

/// `import SwiftData` is all that an app's code needs.
@Suite(.bounded) struct PlainImportTests {
  @Test func `models with import SwiftData work`() async throws {
    let folder = try TemporaryFolder()
    let container = try openNotes(URL(fileURLWithPath: folder.file("N.store")))
    let notes = NoteStore(modelContainer: container)
    let identifier = try await notes.add("One", marks: ["a", "b"])
    _ = try await notes.add("Two", marks: ["b"])
    #expect(try await notes.titles(having: "b") == ["One", "Two"])
    #expect(try await notes.titles(having: "a") == ["One"])
    let note = try #require(ModelContext(container).model(for: identifier) as? Note)
    #expect(note.title == "One" && note.kind == .draft && note.marks.count == 2)
  }
}
#endif
