import OpenSwiftData

/// A model with constants and property observers, which SwiftData's macro accepts in Swift 5.
@Model
package final class Recipe {
  @Attribute(.unique) package let id: UUID
  package let created: Date
  package let servings: Int = 4
  @Attribute(.unique) let slug: String?
  package var title: String { didSet { changes += 1 } }
  package var rating = 0 { willSet { changes += 1 } }
  @Transient package var changes = 0

  package init(id: UUID, title: String, created: Date) {
    self.id = id
    self.title = title
    self.created = created
    slug = title.lowercased()
  }

  package var path: String { slug ?? "" }
}
