import PersistentHistory
import StoreFormat
import TestSupport
import Testing

@Suite(.bounded) struct NetEffectTests {
  private static func kinds(_ letters: String) -> [ChangeKind] {
    letters.map { $0 == "i" ? .insert : $0 == "u" ? .update : .delete }
  }

  private static func effect(_ kinds: [ChangeKind]) -> NetEffect? {
    kinds.dropFirst().reduce(kinds.first.map(NetEffect.init)) { effect, kind in
      effect?.followed(by: NetEffect(kind))
    }
  }

  @Test(arguments: [
    ("i", NetChangeKind.insert), ("u", .update), ("d", .delete), ("iu", .insert),
    ("iuu", .insert), ("id", nil), ("iud", nil), ("uu", .update), ("ud", .delete),
    // Another object has the key now.
    ("di", .replace), ("udiu", .replace), ("did", .delete), ("idi", .insert), ("idid", nil),
    // What no app can have recorded has a result as well.
    ("du", .replace), ("dd", .delete), ("ii", .insert), ("ui", .replace), ("idu", .insert),
    ("uid", .delete),
  ])
  func `the net effect of a sequence of changes is one kind`(letters: String, kind: NetChangeKind?)
  {
    #expect(Self.effect(Self.kinds(letters))?.kind == kind)
  }

  @Test
  func `the effect agrees with a simulation of every sequence of up to seven changes`() {
    var sequences: [[ChangeKind]] = [[]]
    for _ in 1...7 {
      sequences = sequences.flatMap { sequence in ChangeKind.allCases.map { sequence + [$0] } }
      for sequence in sequences {
        let rows = sequence.map {
          NaiveNetChanges.Row(
            transaction: 1, number: 1, kind: $0.rawValue, entity: 1, primaryKey: 1, mask: [])
        }
        #expect(
          Self.effect(sequence)?.kind?.name == NaiveNetChanges(rows).outcomes.first?.kind,
          "\(sequence)")
      }
    }
  }

  @Test
  func `the effect does not depend on how changes are grouped`() {
    let effects = ["i", "u", "d", "id", "iu", "ui", "du", "di", "dud"].compactMap {
      Self.effect(Self.kinds($0))
    }
    for first in effects {
      for second in effects {
        for third in effects {
          #expect(
            first.followed(by: second).followed(by: third)
              == first.followed(by: second.followed(by: third)))
        }
      }
    }
  }
}
