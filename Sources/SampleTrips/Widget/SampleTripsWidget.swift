import ArgumentParser
import Foundation
import SampleTripsKit

/// The widget: shows the next trip, and confirms its accommodation.
@main
struct SampleTripsWidget: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sampletrips-widget",
    abstract: "Show the next trip, or confirm its reservation.",
    discussion: "A sample: it saves to the store of sampletrips as the author 'widget'.")

  @Option(name: .customLong("confirm"), help: "The name of the trip whose stay is confirmed.")
  var name: String?
  @Option(name: .customLong("store"), help: "The store of the trips.") var path = "Trips.store"

  func run() throws {
    let book = try TripBook(path: path, as: .widget)
    guard let name else {
      let next = try book.trips().first { $0.endDate > .now }
      print(
        next.map { "\(TripList.day($0.startDate))  \(TripList.visible($0.name))" } ?? "no trips")
      return
    }
    let trip = try book.existingTrip(named: name)
    guard let place = trip.livingAccommodation else { throw TripError.homeless(name: name) }
    place.isConfirmed = true
    try book.context.save()
    print("\(TripList.visible(place.placeName)) is confirmed")
  }
}
