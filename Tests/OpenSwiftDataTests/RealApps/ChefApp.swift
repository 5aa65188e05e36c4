import OpenSwiftData

/// A recipe app's models, as far as its store shows them.
enum ChefApp {
  static let models: [any PersistentModel.Type] = [
    SDAboutSection.self, SDFolder.self, SDIngredient.self, SDIngredientSection.self,
    SDRecipe.self, SDStep.self, SDStepSection.self,
  ]

  enum FolderType: Codable { case systemAll, systemStandard, systemRecentlyDeleted, user }

  @Model
  final class SDFolder {
    @Attribute(.unique) var id: UUID
    var name: String
    var folderType: FolderType
    var imageData: Data?
    var parentFolder: SDFolder?
    @Relationship(deleteRule: .cascade, inverse: \SDFolder.parentFolder) var folders: [SDFolder]
    @Relationship(deleteRule: .cascade, inverse: \SDRecipe.parentFolder) var recipes: [SDRecipe]

    init(name: String, type: FolderType) {
      id = UUID()
      self.name = name
      folderType = type
      folders = []
      recipes = []
    }
  }

  @Model
  final class SDRecipe {
    @Attribute(.unique) var id: UUID
    var name: String = ""
    @Attribute(.transformable(by: "NSSecureUnarchiveFromData")) var imageData: [Data] = []
    var parentFolder: SDFolder?
    @Relationship(deleteRule: .cascade, inverse: \SDAboutSection.parentRecipe)
    var aboutSections: [SDAboutSection]
    @Relationship(deleteRule: .cascade, inverse: \SDIngredientSection.parentRecipe)
    var ingredientSections: [SDIngredientSection]
    @Relationship(deleteRule: .cascade, inverse: \SDStepSection.parentRecipe)
    var stepSections: [SDStepSection]

    init(name: String) {
      id = UUID()
      self.name = name
      aboutSections = []
      ingredientSections = []
      stepSections = []
    }
  }

  @Model
  final class SDAboutSection {
    @Attribute(.unique) var id: UUID
    var name: String = ""
    var description_: String = ""
    var parentRecipe: SDRecipe?
    init() { id = UUID() }
  }

  @Model
  final class SDIngredientSection {
    @Attribute(.unique) var id: UUID
    var name: String = ""
    var parentRecipe: SDRecipe?
    @Relationship(deleteRule: .cascade, inverse: \SDIngredient.parentIngredientSection)
    var ingredients: [SDIngredient]

    init() {
      id = UUID()
      ingredients = []
    }
  }

  @Model
  final class SDIngredient {
    @Attribute(.unique) var id: UUID
    var name: String = ""
    var measure: String = ""
    var amount: Double
    var parentIngredientSection: SDIngredientSection?

    init(amount: Double) {
      id = UUID()
      self.amount = amount
    }
  }

  @Model
  final class SDStepSection {
    @Attribute(.unique) var id: UUID
    var name: String = ""
    var parentRecipe: SDRecipe?
    @Relationship(deleteRule: .cascade, inverse: \SDStep.parentStepSection) var steps: [SDStep]

    init() {
      id = UUID()
      steps = []
    }
  }

  @Model
  final class SDStep {
    @Attribute(.unique) var id: UUID
    var description_: String = ""
    @Attribute(.transformable(by: "NSSecureUnarchiveFromData")) var imageData: [Data] = []
    var parentStepSection: SDStepSection?
    init() { id = UUID() }
  }

  /// Arrays as the SwiftData of 2023 stored them: JSON in an archive.
  final class ArchivedJSON: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSData.self }
    override class func allowsReverseTransformation() -> Bool { true }

    override func transformedValue(_ value: Any?) -> Any? {
      guard let value = value as? [Data], let json = try? JSONEncoder().encode(value) else {
        return nil
      }
      return try? NSKeyedArchiver.archivedData(
        withRootObject: NSData(data: json), requiringSecureCoding: true)
    }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
      guard let archive = value as? Data,
        let json = try? NSKeyedUnarchiver.unarchivedObject(ofClass: NSData.self, from: archive)
      else { return nil }
      return try? JSONDecoder().decode([Data].self, from: Data(referencing: json))
    }

    static func register() {
      ValueTransformer.setValueTransformer(
        ArchivedJSON(), forName: NSValueTransformerName(rawValue: "NSSecureUnarchiveFromData"))
    }
  }
}
