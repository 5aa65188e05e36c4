#if canImport(SwiftData)
import SwiftData
#else
import OpenSwiftData
#endif

/// Somebody whom one visits; kept apart from the trips, in a store of its own.
@Model
final class Person {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Address.person) var addresses: [Address] = []

  init(name: String) { self.name = name }
}

/// Where somebody lives.
@Model
final class Address {
  var street: String
  var person: Person?

  init(street: String) { self.street = street }
}
