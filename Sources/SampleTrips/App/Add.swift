import ArgumentParser
import Foundation
import SampleTripsKit

/// The options that describe a trip.
struct TripOptions: ParsableArguments {
  @Option(help: "Where the trip leads to.") var destination: String?
  @Option(name: .customLong("from"), help: "The first day, such as 2026-12-01.")
  var firstDay: String?
  @Option(help: "How many days it takes.") var days: Int?
  @Option(name: .customLong("stay"), help: "Where to live; it has to be confirmed.")
  var place: String?
  @Option(name: .customLong("plan"), help: "Something to do there; may be given several times.")
  var plans: [String] = []

  /// Changes a trip as the options say.
  func apply(to trip: Trip) throws {
    let length = trip.endDate.timeIntervalSince(trip.startDate)
    if let destination { trip.destination = destination }
    if let firstDay { trip.startDate = try TripList.date(firstDay) }
    if firstDay != nil || days != nil {
      trip.endDate = trip.startDate.addingTimeInterval(days.map { Double($0) * 86_400 } ?? length)
    }
    if let place { trip.livingAccommodation = LivingAccommodation(placeName: place) }
    for plan in plans { trip.bucketList.append(BucketListItem(title: plan)) }
  }

  func validate() throws {
    if let days, !(1...3650).contains(days) {
      throw ValidationError("--days \(days) is not a number from 1 to 3650")
    }
  }
}

extension SampleTrips {
  /// Adds a trip.
  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Add a trip.")

    @Argument(help: "The name of the trip.") var name: String
    @OptionGroup var trip: TripOptions
    @OptionGroup var store: StoreOption

    func run() throws {
      let book = try TripBook(path: store.path, as: .app)
      guard try book.trip(named: name) == nil else { throw TripError.known(name: name) }
      let today = Date.now
      let new = Trip(
        name: name, destination: name, startDate: today,
        endDate: today.addingTimeInterval(7 * 86_400))
      book.context.insert(new)
      try trip.apply(to: new)
      try book.context.save()
    }
  }

  /// Changes a trip.
  struct Edit: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Change a trip.")

    @Argument(help: "The name of the trip.") var name: String
    @Option(name: .customLong("name"), help: "Another name.") var newName: String?
    @OptionGroup var trip: TripOptions
    @OptionGroup var store: StoreOption

    func run() throws {
      let book = try TripBook(path: store.path, as: .app)
      let found = try book.existingTrip(named: name)
      if let newName, newName != name {
        guard try book.trip(named: newName) == nil else { throw TripError.known(name: newName) }
        found.name = newName
      }
      let former = found.livingAccommodation
      try trip.apply(to: found)
      // The former accommodation is no longer used.
      if let former, former != found.livingAccommodation { book.context.delete(former) }
      try book.context.save()
    }
  }

  /// Deletes a trip.
  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a trip, with all that belongs to it.")

    @Argument(help: "The name of the trip.") var name: String
    @OptionGroup var store: StoreOption

    func run() throws {
      let book = try TripBook(path: store.path, as: .app)
      book.context.delete(try book.existingTrip(named: name))
      try book.context.save()
    }
  }
}
