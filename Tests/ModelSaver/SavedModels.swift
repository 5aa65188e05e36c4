import Foundation
import OpenSwiftData

/// What one save of an author puts into the store.
@Model
final class SavedEntry {
  #Unique<SavedEntry>([\.author, \.number])
  @Attribute(.preserveValueOnDeletion) var author: String
  @Attribute(.preserveValueOnDeletion) var number: Int
  @Attribute(.externalStorage) var content: Data?

  init(author: String, number: Int) {
    self.author = author
    self.number = number
  }
}

/// How many saves an author has made.
@Model
final class SavedCounter {
  @Attribute(.unique) var author: String
  var count = 0

  init(author: String) { self.author = author }
}
