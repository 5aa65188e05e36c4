/// How much a property list may make its reader build.
///
/// A few hundred bytes can describe a list of billions of values by referring to the same array
/// again and again, so the size of the input bounds nothing.
package struct PropertyListLimits: Hashable, Sendable {
  /// The number of values, dictionary keys included, that one materialisation may build.
  package var nodes: Int

  /// The number of arrays and dictionaries that may be nested in one another.
  package var depth: Int

  /// Limits of the given sizes.
  package init(nodes: Int, depth: Int) {
    self.nodes = nodes
    self.depth = depth
  }

  /// 500 000 values, 64 levels: several times what the largest known model archive needs, and
  /// little enough for the stack of any thread.
  package static let standard = PropertyListLimits(nodes: 500_000, depth: 64)
}
