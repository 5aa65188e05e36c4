/// What `diff` shows of the changes in a range.
enum DiffForm {
  /// What happened to each object in the end.
  case objects
  /// The names of the objects alone.
  case names
  /// How many objects of each entity.
  case stat
  /// Each change.
  case changes
}
