import StoreEditing
import StoreFormat

/// Who saves in the sample store, as the history names them.
enum DemoWriter {
  /// The app, when somebody uses it.
  case app
  /// The app's import from the calendar, which does not name an author.
  case calendarImport
  /// The app's refresh of the weather, of a version whose entity has left the model since.
  case weather
  /// The widget, which confirms reservations.
  case widget
  /// What comes from other devices through the app's own server.
  case server

  /// What a save of theirs says of itself.
  func header(at timestamp: StoreTimestamp) -> TransactionHeader {
    let (author, context): (String?, String?) =
      switch self {
      case .app: ("app", nil)
      case .calendarImport: (nil, "calendar-import")
      case .weather: (nil, "weather-refresh")
      case .widget: ("widget", nil)
      case .server: ("server-sync", nil)
      }
    let isWidget = self == .widget
    return TransactionHeader(
      author: author,
      bundle: isWidget ? "com.example.SampleTrips.TripsWidget" : "com.example.SampleTrips",
      process: isWidget ? "TripsWidget" : "SampleTrips", context: context, timestamp: timestamp)
  }
}
