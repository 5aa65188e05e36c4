import PersistentHistory
import TestSupport
import Testing

/// What a cut keeps.
@Suite(.bounded) struct HistoryCutTests {
  @Test func `the lower of two cuts keeps more history`() {
    let cuts = [HistoryCut(before: 5), HistoryCut(before: 6), .end]
    for (index, cut) in cuts.enumerated() {
      for (other, second) in cuts.enumerated() {
        #expect((cut < second) == (index < other), "\(cut), \(second)")
      }
    }
  }

  @Test func `tokens before the first kept transaction expire`() {
    let cut = HistoryCut(before: 5)
    #expect([0, 1, 4, 5, 6].map(cut.expires) == [false, true, true, false, false])
    #expect([0, 1, 9].map(HistoryCut.end.expires) == [false, true, true])
  }
}
