import OpenSwiftData

/// Two versions of a household app's models, as far as its stores show them, and a third one.
enum HomeV1: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Expense.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }

  @Model
  final class Expense {
    var id: UUID = UUID()
    var amount: Decimal = Decimal(0)
    var currencyCode: String = "INR"
    var note: String?
    var date: Date = Date.now
    var createdAt: Date = Date.now
    var updatedAt: Date = Date.now
    init(amount: Decimal) { self.amount = amount }
  }
}

enum HomeV2: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Expense.self, Category.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }

  @Model
  final class Expense {
    var id: UUID = UUID()
    var amount: Decimal = Decimal(0)
    var currencyCode: String = "INR"
    var note: String?
    var date: Date = Date.now
    var createdAt: Date = Date.now
    var updatedAt: Date = Date.now
    var categories: [Category] = []
    init(amount: Decimal) { self.amount = amount }
  }

  @Model
  final class Category {
    var id: UUID = UUID()
    var name: String?
    var symbolName: String?
    var sortOrder: Int = 0
    var monthlyBudget: Decimal?
    var currencyCode: String = "INR"
    var createdAt: Date = Date.now
    @Relationship(inverse: \Expense.categories) var expenses: [Expense] = []
    init(name: String) { self.name = name }
  }
}

/// A version that no one has released: a name is new, an attribute is gone, and one has become unique.
enum HomeV3: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Expense.self, Category.self, Payer.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }

  @Model
  final class Expense {
    @Attribute(.unique) var id: UUID = UUID()
    @Attribute(.preserveValueOnDeletion) var amount: Decimal = Decimal(0)
    var currencyCode: String = "INR"
    @Attribute(originalName: "note") var remark: String?
    var date: Date = Date.now
    var createdAt: Date = Date.now
    var isShared: Bool = true
    var categories: [Category] = []
    var payer: Payer?
    init(amount: Decimal) { self.amount = amount }
  }

  @Model
  final class Category {
    var id: UUID = UUID()
    var name: String?
    var sortOrder: Int = 0
    var monthlyBudget: Decimal?
    var currencyCode: String = "INR"
    var createdAt: Date = Date.now
    @Relationship(inverse: \Expense.categories) var expenses: [Expense] = []
    init(name: String) { self.name = name }
  }

  @Model
  final class Payer {
    var name: String
    @Relationship(inverse: \Expense.payer) var expenses: [Expense] = []
    init(name: String) { self.name = name }
  }
}

enum HomePlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [HomeV1.self, HomeV2.self, HomeV3.self] }
  static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: HomeV1.self, toVersion: HomeV2.self),
      .custom(
        fromVersion: HomeV2.self, toVersion: HomeV3.self, willMigrate: nil,
        didMigrate: { context in
          context.author = "upgrade"
          let payer = HomeV3.Payer(name: "Ann")
          context.insert(payer)
          payer.expenses = try context.fetch(FetchDescriptor<HomeV3.Expense>())
          try context.save()
        }),
    ]
  }
}
