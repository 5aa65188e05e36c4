import Foundation
import SwiftData

enum Plan: String, Codable {
  case free, paid
}

enum Side: Codable {
  case left, right
}

enum Carrier: Codable {
  case pickup
  case post(code: String, weight: Double)
}

/// All of its members may be `nil`.
struct Contact: Codable {
  var phone: String?
  var floor: Int?
}

/// Writes one text.
struct Tint: Codable {
  var name: String

  init(_ name: String) { self.name = name }

  init(from decoder: any Decoder) throws {
    name = try decoder.singleValueContainer().decode(String.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}

@Model
final class Trip {
  @Attribute(.preserveValueOnDeletion) var name: String
  var note: String?
  @Relationship(deleteRule: .nullify, inverse: \Stay.trip) var stays: [Stay] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Stay {
  var hotel: String
  var trip: Trip?

  init(_ hotel: String) { self.hotel = hotel }
}

@Model
class Vehicle {
  var name: String

  init(_ name: String) { self.name = name }
}

@Model
final class Bus: Vehicle {
  var seats: Int

  init(_ name: String, seats: Int) {
    self.seats = seats
    super.init(name)
  }
}

/// Two attributes that are unique, each alone.
@Model
final class Person {
  @Attribute(.unique) var email: String
  @Attribute(.unique) var handle: String
  var age: Int
  var stamps: [Stamp] = []

  init(_ email: String, _ handle: String, age: Int = 0) {
    self.email = email
    self.handle = handle
    self.age = age
  }
}

@Model
final class Stamp {
  var number: Int
  @Relationship(inverse: \Person.stamps) var person: Person?

  init(_ number: Int) { self.number = number }
}

@Model
final class Seat {
  #Index<Seat>([\.plan], [\.side, \.row])
  #Unique<Seat>([\.plan, \.row])
  var row: Int
  var plan: Plan
  var side: Side
  var note: String = ""

  init(_ row: Int, _ plan: Plan, _ side: Side) {
    self.row = row
    self.plan = plan
    self.side = side
  }
}

@Model
final class Parcel {
  var label: String
  var carrier: Carrier?
  var contact: Contact?
  var tint: Tint
  var secondTint: Tint?

  init(_ label: String) {
    self.label = label
    tint = Tint("red")
  }
}

/// The club as its first version had it.
enum ClubV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Member.self] }

  @Model
  final class Member {
    var email: String
    var points: Int

    init(_ email: String, _ points: Int) {
      self.email = email
      self.points = points
    }
  }
}

/// The club with unique addresses.
enum ClubV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Member.self, Badge.self] }

  @Model
  final class Member {
    #Unique<Member>([\.email])
    var email: String
    var points: Int

    init(_ email: String, _ points: Int) {
      self.email = email
      self.points = points
    }
  }

  @Model
  final class Badge {
    var color: String

    init(_ color: String) { self.color = color }
  }
}

/// Merges members of one address before they must differ.
enum MergingPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [ClubV1.self, ClubV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: ClubV1.self, toVersion: ClubV2.self,
        willMigrate: { context in
          var kept: [String: ClubV1.Member] = [:]
          let order = FetchDescriptor<ClubV1.Member>(sortBy: [SortDescriptor(\.points)])
          for member in try context.fetch(order) {
            if let first = kept[member.email] {
              first.points += member.points
              context.delete(member)
            } else {
              kept[member.email] = member
            }
          }
          try context.save()
        }, didMigrate: nil)
    ]
  }
}

/// Inserts a model of the new version where only the old one has tables.
enum EarlyPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [ClubV1.self, ClubV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: ClubV1.self, toVersion: ClubV2.self,
        willMigrate: { context in
          context.insert(ClubV2.Badge("gold"))
          try context.save()
        }, didMigrate: nil)
    ]
  }
}

/// Inserts a model of the new version after the migration.
enum LatePlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { MergingPlan.schemas }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: ClubV1.self, toVersion: ClubV2.self, willMigrate: nil,
        didMigrate: { context in
          context.insert(ClubV2.Badge("gold"))
          try context.save()
        })
    ]
  }
}
