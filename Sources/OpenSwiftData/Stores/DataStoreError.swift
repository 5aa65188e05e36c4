/// What a store tells a context that it does not do by itself.
public enum DataStoreError: Error, Hashable {
  /// The store does not do this at all.
  case unsupportedFeature
  /// The context is to choose among all models.
  case preferInMemoryFilter
  /// The context is to sort the models.
  case preferInMemorySort
  /// The predicate makes no sense for this store.
  case invalidPredicate
}
