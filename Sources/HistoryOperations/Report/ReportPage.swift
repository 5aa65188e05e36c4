import DurableFiles
import PropertyLists

/// The page of a report, before and after its data.
///
/// A report is one file, which includes the style and the scripts in `Page`. Its content security policy
/// allows only these, by their SHA-256.
struct ReportPage {
  let afterData: String
  private let start: String

  /// In this order: each uses those before it, and the last starts the page.
  private static let scripts = [
    PackageResources.dom_js, PackageResources.format_js, PackageResources.clock_js,
    PackageResources.data_js, PackageResources.filters_js, PackageResources.address_js,
    PackageResources.chart_js, PackageResources.timeline_js, PackageResources.heatmap_js,
    PackageResources.growth_js, PackageResources.ranks_js, PackageResources.changes_js,
    PackageResources.objects_js, PackageResources.transactions_js, PackageResources.search_js,
    PackageResources.head_js, PackageResources.overview_js, PackageResources.main_js,
  ]

  init() {
    let style = "\n" + Self.text(PackageResources.report_css)
    let script =
      "\n(() => {\n\"use strict\";\n\n"
      + Self.scripts.map(Self.text).joined(separator: "\n") + "})();\n"
    let policy = [
      "default-src 'none'", "script-src \(Self.source(script))", "style-src \(Self.source(style))",
      "img-src data:", "base-uri 'none'", "form-action 'none'",
    ].joined(separator: "; ")
    let halves = Self.text(PackageResources.report_html)
      .split(separator: "{{data}}", maxSplits: 1, omittingEmptySubsequences: false)
    start = String(halves[0])
      .replacing("{{policy}}", with: policy).replacing("{{style}}", with: style)
    afterData = halves.dropFirst().joined().replacing("{{script}}", with: script)
  }

  /// Returns the page up to its data. Its script sets the same title; this one is seen without it.
  func beforeData(title: String) -> String {
    start.replacing(
      "{{title}}", with: title.replacing("&", with: "&amp;").replacing("<", with: "&lt;"))
  }

  private static func text(_ resource: [UInt8]) -> String {
    String(decoding: resource, as: UTF8.self)
  }

  /// Returns the part of a policy that allows an element with a text.
  private static func source(_ text: String) -> String {
    "'sha256-\(Base64.text(of: SHA256Hasher.digest(of: Array(text.utf8))))'"
  }
}
