import OpenSwiftData

/// The list of trips in the terminal, with a badge for unread ones.
public enum TripList {
  private static let badge = "●"

  /// The lines of the list.
  public static func lines(of trips: [Trip], unread: Set<PersistentIdentifier>) -> [String] {
    guard !trips.isEmpty else { return ["no trips yet; add one with: sampletrips add NAME"] }
    let rows =
      [[" ", "TRIP", "DESTINATION", "STARTS", "STAY", "PLANS"]]
      + trips.map { trip in
        [
          unread.contains(trip.persistentModelID) ? badge : " ", visible(trip.name),
          visible(trip.destination), day(trip.startDate), stay(trip),
          trip.bucketList.map { visible($0.title) }.sorted().joined(separator: ", "),
        ]
      }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    let lines = rows.map { row in
      trimmed(
        zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
          .joined(separator: "  "))
    }
    let count = trips.filter { unread.contains($0.persistentModelID) }.count
    return count == 0 ? lines : lines + ["", "\(badge) \(count) unread"]
  }

  /// The accommodation, and whether it is confirmed.
  private static func stay(_ trip: Trip) -> String {
    guard let place = trip.livingAccommodation else { return "-" }
    return visible(place.placeName) + (place.isConfirmed ? " (confirmed)" : "")
  }

  /// Returns a day as text, such as 2026-12-01.
  public static func day(_ date: Date) -> String {
    date.formatted(.iso8601.year().month().day())
  }

  /// Returns the date of a day.
  ///
  /// - Throws: ``TripError/malformedDate(_:)``.
  public static func date(_ day: String) throws -> Date {
    guard let date = try? Date(day, strategy: .iso8601.year().month().day()) else {
      throw TripError.malformedDate(day)
    }
    return date
  }

  /// Returns a text from the store without control characters.
  public static func visible(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar -> Unicode.Scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
          default: scalar
          }
        }))
  }

  private static func trimmed(_ line: String) -> String {
    String(line.reversed().drop { $0 == " " }.reversed())
  }
}
