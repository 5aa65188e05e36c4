/// The activity of authors, entities or the like, the busiest first.
package struct ActivityRanking<Key: Sendable>: Sendable {
  /// One of them with its activity.
  package struct Group: Sendable {
    /// Who or what it is.
    package let key: Key
    /// What was saved by it or about it.
    package let activity: Activity
  }

  /// What is not listed one by one.
  package struct Rest: Sendable {
    /// How many groups it sums up; nil where they were too many to be told apart.
    package let groupCount: Int?
    /// What was saved by them. A transaction may be about several entities, so their transactions
    /// are not a sum of saves.
    package let activity: Activity
  }

  /// The groups, the busiest first.
  package let groups: [Group]
  /// The activity of groups that came when there were too many to be told apart.
  let overflow: Activity

  /// The busiest groups, and the others in one; nil where there are no others.
  package func top(_ count: Int) -> (groups: ArraySlice<Group>, rest: Rest?) {
    let hidden = groups.dropFirst(max(count, 0))
    guard !hidden.isEmpty || !overflow.isEmpty else { return (groups[...], nil) }
    var activity = overflow
    for group in hidden { activity += group.activity }
    return (
      groups.prefix(max(count, 0)),
      Rest(groupCount: overflow.isEmpty ? hidden.count : nil, activity: activity)
    )
  }
}
