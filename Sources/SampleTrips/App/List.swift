import ArgumentParser
import Foundation
import SampleTripsKit

extension SampleTrips {
  /// Shows the trips.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show all trips, with a badge at those that the widget has changed.")

    @OptionGroup var store: StoreOption

    func run() throws {
      let book = try TripBook(path: store.path, as: .app)
      let unread = try UnreadTrips(container: book.container, storePath: store.path).find()
      if let reason = unread.reasonToStartOver {
        FileHandle.standardError.write(
          Data("sampletrips: \(reason), so all that the widget has done counts as new\n".utf8))
      }
      for line in TripList.lines(of: try book.trips(), unread: unread.trips) { print(line) }
    }
  }

  /// Removes the badges.
  struct Read: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Take note of what the widget has done, which removes the badges.")

    @OptionGroup var store: StoreOption

    func run() throws {
      let book = try TripBook(path: store.path, as: .app)
      try UnreadTrips(container: book.container, storePath: store.path).markAllRead()
    }
  }
}
