/// Backing data whose values are in a ``ModelState``, whatever the class that they are looked at as.
///
/// An object of a class that inherits from another model is looked at as either.
class StatefulBackingData {
  let state: ModelState

  init(_ state: ModelState) { self.state = state }
}
