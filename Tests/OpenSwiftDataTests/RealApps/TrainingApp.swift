import OpenSwiftData

/// The models of an app for training that was released ten times, each time with other models. A version
/// repeats all of its models, as SwiftData asks.
enum TrainingApp {
  static var versions: [any VersionedSchema.Type] {
    [
      V1.self, V2.self, V3.self, V4.self, V5.self, V6.self, V7.self, V8.self, V9.self, V10.self,
    ]
  }

  /// The plan of the release that had a version.
  enum Plan<Version: VersionedSchema>: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] {
      Array(versions.prefix { $0 != Version.self }) + [Version.self]
    }
    static var stages: [MigrationStage] { Array(TrainingApp.stages.prefix(schemas.count - 1)) }
  }

  private static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: V1.self, toVersion: V2.self),
      .lightweight(fromVersion: V2.self, toVersion: V3.self),
      .lightweight(fromVersion: V3.self, toVersion: V4.self),
      .lightweight(fromVersion: V4.self, toVersion: V5.self),
      .lightweight(fromVersion: V5.self, toVersion: V6.self),
      .custom(
        fromVersion: V6.self, toVersion: V7.self, willMigrate: nil,
        didMigrate: { context in
          for workout in try context.fetch(FetchDescriptor<V7.Workout>()) {
            workout.seconds = Double(workout.minutes * 60)
          }
          try context.save()
        }),
      .custom(
        fromVersion: V7.self, toVersion: V8.self,
        willMigrate: { context in
          // Of equal tags one stays, with the workouts of all.
          var first: [String: V7.Tag] = [:]
          for tag in try context.fetch(FetchDescriptor<V7.Tag>(sortBy: [SortDescriptor(\.label)])) {
            guard let kept = first[tag.label] else {
              first[tag.label] = tag
              continue
            }
            kept.workouts += tag.workouts.filter { !kept.workouts.contains($0) }
            tag.workouts = []
            context.delete(tag)
          }
          try context.save()
        }, didMigrate: nil),
      .custom(
        fromVersion: V8.self, toVersion: V9.self,
        willMigrate: { context in
          for workout in try context.fetch(FetchDescriptor<V8.Workout>()) where workout.note == nil
          {
            workout.note = ""
          }
          try context.save()
        }, didMigrate: nil),
      .lightweight(fromVersion: V9.self, toVersion: V10.self),
    ]
  }

  enum Kind: String, Codable { case endurance, strength }

  enum Effort: Codable { case easy, hard }

  struct Place: Codable, Hashable {
    var name: String
    var altitude: Double
  }

  enum V1: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Workout.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }

    @Model
    final class Workout {
      var title: String
      var minutes: Int
      init(title: String, minutes: Int) {
        self.title = title
        self.minutes = minutes
      }
    }
  }

  enum V2: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Workout.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }

    @Model
    final class Workout {
      var title: String
      var minutes: Int
      var note: String?
      init(title: String, minutes: Int) {
        self.title = title
        self.minutes = minutes
      }
    }
  }

  enum V3: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Workout.self, Exercise.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }

    @Model
    final class Workout {
      var title: String
      var minutes: Int
      var note: String?
      @Relationship(deleteRule: .cascade, inverse: \Exercise.workout) var exercises: [Exercise] = []
      init(title: String, minutes: Int) {
        self.title = title
        self.minutes = minutes
      }
    }

    @Model
    final class Exercise {
      var name: String
      var repetitions: Int = 10
      var workout: Workout?
      init(name: String, workout: Workout?) {
        self.name = name
        self.workout = workout
      }
    }
  }

  enum V4: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Workout.self, Exercise.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(4, 0, 0) }

    @Model
    final class Workout {
      @Attribute(originalName: "title") var name: String
      var minutes: Int
      var note: String?
      @Relationship(deleteRule: .cascade, inverse: \Exercise.workout) var exercises: [Exercise] = []
      init(name: String, minutes: Int) {
        self.name = name
        self.minutes = minutes
      }
    }

    @Model
    final class Exercise {
      var name: String
      var repetitions: Int = 10
      var workout: Workout?
      init(name: String, workout: Workout?) {
        self.name = name
        self.workout = workout
      }
    }
  }

  enum V5: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Workout.self, Exercise.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(5, 0, 0) }

    @Model
    final class Workout {
      var name: String
      var minutes: Int
      var note: String?
      var kind: Kind = Kind.endurance
      @Relationship(deleteRule: .cascade, inverse: \Exercise.workout) var exercises: [Exercise] = []
      init(name: String, minutes: Int) {
        self.name = name
        self.minutes = minutes
      }
    }

    @Model
    final class Exercise {
      var name: String
      var repetitions: Int = 10
      var workout: Workout?
      init(name: String, workout: Workout?) {
        self.name = name
        self.workout = workout
      }
    }
  }

  enum V6: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Workout.self, Exercise.self, Tag.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(6, 0, 0) }

    @Model
    final class Workout {
      var name: String
      var minutes: Int
      var note: String?
      var kind: Kind = Kind.endurance
      @Relationship(deleteRule: .cascade, inverse: \Exercise.workout) var exercises: [Exercise] = []
      @Relationship(inverse: \Tag.workouts) var tags: [Tag] = []
      init(name: String, minutes: Int) {
        self.name = name
        self.minutes = minutes
      }
    }

    @Model
    final class Exercise {
      var name: String
      var repetitions: Int = 10
      var workout: Workout?
      init(name: String, workout: Workout?) {
        self.name = name
        self.workout = workout
      }
    }

    @Model
    final class Tag {
      var label: String
      var workouts: [Workout] = []
      init(label: String, workouts: [Workout] = []) {
        self.label = label
        self.workouts = workouts
      }
    }
  }

  enum V7: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Workout.self, Exercise.self, Tag.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(7, 0, 0) }

    @Model
    final class Workout {
      var name: String
      var minutes: Int
      var seconds: Double = 0
      var note: String?
      var kind: Kind = Kind.endurance
      @Relationship(deleteRule: .cascade, inverse: \Exercise.workout) var exercises: [Exercise] = []
      @Relationship(inverse: \Tag.workouts) var tags: [Tag] = []
      init(name: String, minutes: Int) {
        self.name = name
        self.minutes = minutes
      }
    }

    @Model
    final class Exercise {
      var name: String
      var repetitions: Int = 10
      var workout: Workout?
      init(name: String, workout: Workout?) {
        self.name = name
        self.workout = workout
      }
    }

    @Model
    final class Tag {
      var label: String
      var workouts: [Workout] = []
      init(label: String, workouts: [Workout] = []) {
        self.label = label
        self.workouts = workouts
      }
    }
  }

  enum V8: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Workout.self, Exercise.self, Tag.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(8, 0, 0) }

    @Model
    final class Workout {
      var name: String
      var seconds: Double
      var note: String?
      var kind: Kind = Kind.endurance
      @Relationship(deleteRule: .cascade, inverse: \Exercise.workout) var exercises: [Exercise] = []
      @Relationship(inverse: \Tag.workouts) var tags: [Tag] = []
      init(name: String, seconds: Double) {
        self.name = name
        self.seconds = seconds
      }
    }

    @Model
    final class Exercise {
      var name: String
      var repetitions: Int = 10
      var workout: Workout?
      init(name: String, workout: Workout?) {
        self.name = name
        self.workout = workout
      }
    }

    @Model
    final class Tag {
      @Attribute(.unique) var label: String
      var workouts: [Workout] = []
      init(label: String, workouts: [Workout] = []) {
        self.label = label
        self.workouts = workouts
      }
    }
  }

  enum V9: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Workout.self, Exercise.self, Tag.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(9, 0, 0) }

    @Model
    final class Workout {
      var name: String
      var seconds: Double
      var note: String = ""
      var kind: Kind = Kind.endurance
      var place: Place?
      @Relationship(deleteRule: .cascade, inverse: \Exercise.workout) var exercises: [Exercise] = []
      @Relationship(inverse: \Tag.workouts) var tags: [Tag] = []
      init(name: String, seconds: Double) {
        self.name = name
        self.seconds = seconds
      }
    }

    @Model
    final class Exercise {
      var name: String
      var repetitions: Int = 10
      var workout: Workout?
      init(name: String, workout: Workout?) {
        self.name = name
        self.workout = workout
      }
    }

    @Model
    final class Tag {
      @Attribute(.unique) var label: String
      var workouts: [Workout] = []
      init(label: String, workouts: [Workout] = []) {
        self.label = label
        self.workouts = workouts
      }
    }
  }

  enum V10: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Workout.self, Exercise.self, Tag.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(10, 0, 0) }

    @Model
    final class Workout {
      #Index<Workout>([\.name])
      @Attribute(.preserveValueOnDeletion) var name: String
      var seconds: Double
      var note: String = ""
      var kind: Kind = Kind.endurance
      var place: Place?
      var effort: Effort?
      @Relationship(deleteRule: .cascade, inverse: \Exercise.workout) var exercises: [Exercise] = []
      @Relationship(inverse: \Tag.workouts) var tags: [Tag] = []
      init(name: String, seconds: Double) {
        self.name = name
        self.seconds = seconds
      }
    }

    @Model
    final class Exercise {
      var name: String
      var repetitions: Int = 10
      var workout: Workout?
      init(name: String, workout: Workout?) {
        self.name = name
        self.workout = workout
      }
    }

    @Model
    final class Tag {
      @Attribute(.unique) var label: String
      var workouts: [Workout] = []
      init(label: String, workouts: [Workout] = []) {
        self.label = label
        self.workouts = workouts
      }
    }
  }
}
