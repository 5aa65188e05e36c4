#if os(Linux)
import Foundation
import SwiftData

/// An app's models and data layer with SwiftData's own import.
@Model
package final class Note {
  #Index<Note>([\.title])
  #Unique<Note>([\.title])
  package var title: String
  @Attribute(.externalStorage) package var body: Data?
  @Relationship(deleteRule: .cascade, inverse: \Mark.note) package var marks: [Mark] = []
  package var kind: Kind = Kind.draft

  package enum Kind: String, Codable, CaseIterable { case draft, final }

  package init(title: String) { self.title = title }
}

@Model
package final class Mark {
  package var text: String
  package var note: Note?

  package init(text: String) { self.text = text }
}

@ModelActor
package actor NoteStore {
  package func add(_ title: String, marks: [String]) throws -> PersistentIdentifier {
    let note = Note(title: title)
    note.marks = marks.map { Mark(text: $0) }
    modelContext.insert(note)
    try modelContext.save()
    return note.persistentModelID
  }

  package func titles(having text: String) throws -> [String] {
    let descriptor = FetchDescriptor<Note>(
      predicate: #Predicate { note in note.marks.contains { $0.text == text } },
      sortBy: [SortDescriptor(\.title)])
    return try modelContext.fetch(descriptor).map(\.title)
  }
}

package enum NotesV1: VersionedSchema {
  package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  package static var models: [any PersistentModel.Type] { [Note.self, Mark.self] }
}

package func openNotes(_ file: URL) throws -> ModelContainer {
  try ModelContainer(
    for: Schema(versionedSchema: NotesV1.self),
    configurations: [ModelConfiguration(url: file)])
}
#endif
