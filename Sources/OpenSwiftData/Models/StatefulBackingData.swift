/// Backing data whose values are in a ``ModelState``, whatever the class that they are looked at as.
///
/// An object of a class that inherits from another model is looked at as either.
class StatefulBackingData {
  let state: ModelState
  /// The object that the context knows by these values, where they are shared with another one: as
  /// long as either is used, that one is known.
  var known: (any PersistentModel)?

  init(_ state: ModelState) { self.state = state }
}
