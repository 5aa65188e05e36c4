import TestSupport
import Testing

@testable import Terminal

@Suite(.bounded) struct TableTests {
  private let columns = [
    TableColumn("token", alignment: .trailing),
    TableColumn("author", priority: 1, minimumWidth: 4, canShrink: true),
    TableColumn("bundle", priority: 0, canDrop: true),
    TableColumn("changes", priority: 2, minimumWidth: 6, canShrink: true),
  ]
  private let rows = [
    ["7", "widget", "com.example.Trips", "3 inserted"],
    ["1204", "Zoë Müller", "", "1 updated"],
    ["9", "", "com.example", ""],
  ]

  private func cells(_ texts: [String]) -> [TableCell] {
    texts.map { TableCell($0) }
  }

  private func table(
    width: Int?, text: TerminalText = .terminal, isColored: Bool = false
  ) -> Table {
    Table(
      columns: columns, sample: rows.map(cells), lineWidth: width, text: text,
      palette: Palette(isColored: isColored))
  }

  private func lines(_ table: Table) -> [String] {
    [table.header] + rows.map { table.line(cells($0)) }
  }

  @Test func `columns align and lines end without spaces`() {
    #expect(
      lines(table(width: nil)) == [
        "token  author      bundle             changes",
        "    7  widget      com.example.Trips  3 inserted",
        " 1204  Zoë Müller                     1 updated",
        "    9              com.example",
      ])
  }

  @Test func `narrow terminals shrink first`() {
    // Full width is 48: 5 + 10 + 17 + 10 and three gaps.
    #expect(lines(table(width: 48)) == lines(table(width: nil)))
    #expect(
      lines(table(width: 42)) == [
        "token  author   bundle             changes",
        "    7  widget   com.example.Trips  3 inse…",
        " 1204  Zoë…ler                     1 upda…",
        "    9           com.example",
      ])
  }

  @Test func `the least important column is dropped next`() {
    // Minimum with all columns is 5 + 4 + 17 + 6 and the gaps: 38.
    #expect(
      lines(table(width: 37)) == [
        "token  author      changes",
        "    7  widget      3 inserted",
        " 1204  Zoë Müller  1 updated",
        "    9",
      ])
  }

  @Test func `lines fit the terminal`() {
    for width in 1...60 {
      for line in lines(table(width: width)) {
        #expect(line.displayWidth <= width)
        #expect(!line.hasSuffix(" "))
      }
    }
  }

  @Test func `later rows keep the layout`() {
    let long = cells(["123456789", String(repeating: "x", count: 30), "b", "end"])
    let last = cells(["1", "a", "b", String(repeating: "日", count: 40)])
    let onTerminal = table(width: 60)
    #expect(onTerminal.line(long) == "12…89  xxxxx…xxxx  b                  end")
    // The last column may use the 22 columns that are left.
    #expect(
      onTerminal.line(last)
        == "    1  a           b                  " + String(repeating: "日", count: 10) + "…")
    let piped = table(width: nil)
    #expect(
      piped.line(long) == "123456789  " + String(repeating: "x", count: 30)
        + "  b                  end")
  }

  @Test func `one long cell does not widen every line`() {
    let sample = [[TableCell(String(repeating: "x", count: 60_000)), TableCell("b")]]
    let table = Table(
      columns: [TableColumn("a"), TableColumn("b")], sample: sample, lineWidth: nil,
      text: .terminal,
      palette: Palette(isColored: false))
    #expect(table.line(cells(["a", "b"])).count == TableLayout.widestUnlimited + 3)
    #expect(table.line(sample[0]).count == 60_003)
    // More than anybody reads is not shown.
    let huge = [TableCell(String(repeating: "x", count: 5_000_000)), TableCell("b")]
    #expect(table.line(huge).contains("x… (5,000,000 bytes) …x"))
    #expect(table.line(huge).count < 10_000)
  }

  @Test func `a long name is cut in its middle and keeps its count`() {
    let cell = TableCell(spans: [
      .init(text: "AdditionalAssetAttributes", style: .plain, isName: true),
      .init(text: " ", style: .plain), .init(text: "+12", style: .inserted),
      .init(text: "  Asset", style: .plain, isName: true),
      .init(text: " ", style: .plain), .init(text: "~1", style: .updated),
    ])
    func line(_ width: Int) -> String {
      Table(
        columns: [TableColumn("changes", canShrink: true)], sample: [[cell]], lineWidth: width,
        text: .terminal, palette: Palette(isColored: false)
      ).line([cell])
    }
    #expect(line(39) == "AdditionalAssetAttributes +12  Asset ~1")
    #expect(line(38) == "AdditionalAssetAttributes +12  A…et ~1")
    #expect(line(30) == "AdditionalAssetAttributes +12…")
    #expect(line(24) == "Additiona…ttributes +12…")
    #expect(line(11) == "Add…es +12…")
    #expect(line(8) == "Additio…")
  }

  @Test func `styles surround the text only`() {
    let table = Table(
      columns: [TableColumn("n", alignment: .trailing), TableColumn("kind"), TableColumn("x")],
      sample: [cells(["10", "insert", "y"])], lineWidth: 40, text: .terminal,
      palette: Palette(isColored: true))
    #expect(
      table.line([TableCell("5", style: .token), TableCell("new", style: .inserted)])
        == " \u{1B}[36m5\u{1B}[0m  \u{1B}[32mnew\u{1B}[0m")
    #expect(table.header.contains("\u{1B}[1mkind\u{1B}[0m"))
  }

  @Test func `cells from a store cannot break the table`() {
    let evil = cells(["1", "\u{1B}[2J\n\u{202E}", "b", "c"])
    #expect(table(width: 60).line(evil) == "    1  \\e[2J\\n…    b                  c")
    #expect(table(width: nil).line(evil).contains("\\e[2J\\n\\u{202E}"))
  }

  @Test func `rows may have missing or extra cells`() {
    #expect(table(width: 60).line([]) == "")
    #expect(table(width: 60).line(cells(["1", "a", "b", "c", "d"])).hasSuffix("c"))
    let empty = Table(
      columns: [], sample: [cells(["a"])], lineWidth: 0, text: .terminal,
      palette: Palette(isColored: false))
    #expect(empty.header == "" && empty.line(cells(["a"])) == "")
  }
}
