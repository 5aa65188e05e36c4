import PersistentHistory
import Testing

/// What a cut keeps.
@Suite struct HistoryCutTests {
  @Test func `the lower cut leaves more`() {
    let cuts = [HistoryCut(before: 5), HistoryCut(before: 6), .end]
    for (index, cut) in cuts.enumerated() {
      for (other, second) in cuts.enumerated() {
        #expect((cut < second) == (index < other), "\(cut), \(second)")
      }
    }
  }

  @Test func `tokens before the first kept expire`() {
    let cut = HistoryCut(before: 5)
    #expect([0, 1, 4, 5, 6].map(cut.expires) == [false, true, true, false, false])
    #expect([0, 1, 9].map(HistoryCut.end.expires) == [false, true, true])
  }
}
