// swift-format-ignore-file
// Generated from Page by .ci/report-page. Edit the files there, then run `make report-page`.

/// The page of a report, before and after its data.
enum ReportPage {
  static let beforeData = ##"""
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-H3+ZzGzHR8SJ6qRJaxxphGQmc4Waalr/w2CKJnVKqcA='; style-src 'sha256-nJgoshF6EFjzEIQC9wKKvgrGCBdWxo3i+cWLSu8usy0='; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>histctl report</title>
<link rel="icon" href="data:,">
<style>
/* Colours that colour-blind readers can tell apart, after Okabe and Ito; none and others are greys. */
:root {
  color-scheme: light dark;
  --paper: #f7f7f5;
  --panel: #ffffff;
  --sunk: #f1f1ee;
  --line: #e2e2dd;
  --line-strong: #c9c9c2;
  --ink: #1c1f23;
  --ink-2: #565c64;
  --ink-3: #6c727a;
  --accent: #1d63b8;
  --accent-soft: #e3edf9;
  --focus: #1d63b8;
  --warn: #8a5a00;
  --warn-soft: #fdf3dc;
  --bad: #b3261e;
  --bad-soft: #fbe6e3;
  --s0: #2f6fb7;
  --s1: #e8932c;
  --s2: #12957a;
  --s3: #c0609d;
  --s4: #7cb9e8;
  --s5: #d2b116;
  --s6: #cc4e24;
  --s7: #7558b0;
  --none: #7d848e;
  --other: #bcc1c8;
  --insert: #0b7760;
  --update: #2f6fb7;
  --delete: #c4461d;
  --heat: 47, 111, 183;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "Segoe UI Mono", "Roboto Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "DejaVu Sans", Arial, sans-serif;
}

@media (prefers-color-scheme: dark) {
  :root {
    --paper: #131518;
    --panel: #1a1d21;
    --sunk: #22262b;
    --line: #2c3137;
    --line-strong: #444b54;
    --ink: #e8eaed;
    --ink-2: #b0b6be;
    --ink-3: #9097a1;
    --accent: #7db4f5;
    --accent-soft: #1e3350;
    --focus: #7db4f5;
    --warn: #f0c36a;
    --warn-soft: #2d2616;
    --bad: #ff9a8b;
    --bad-soft: #3a1c1a;
    --s0: #5b9be6;
    --s1: #f0a64a;
    --s2: #2fb798;
    --s3: #d883b8;
    --s4: #a6d3f5;
    --s5: #e3c94a;
    --s6: #e8754b;
    --s7: #a88ce0;
    --none: #8b929c;
    --other: #565d67;
    --insert: #3cc3a5;
    --update: #72abed;
    --delete: #f28560;
    --heat: 91, 155, 230;
  }
}

* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: 64px; }
body {
  margin: 0;
  background: var(--paper);
  color: var(--ink);
  font: 14px/1.45 var(--sans);
  font-variant-numeric: tabular-nums;
  overflow-wrap: anywhere;
}
[hidden] { display: none !important; }
.unseen {
  position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap;
}
.alone { max-width: 40em; margin: 10vh auto; padding: 0 20px; font-size: 16px; }
h1, h2, h3, p, ul, ol, dl, dd, table, figure { margin: 0; padding: 0; }
ul, ol { list-style: none; }
h1 { font-size: 26px; line-height: 1.2; font-weight: 650; letter-spacing: -.015em; }
h2 { font-size: 15px; line-height: 1.3; font-weight: 620; letter-spacing: -.005em; }
h3 { font-size: 12px; font-weight: 600; color: var(--ink-2); }
bdi { unicode-bidi: isolate; }
.mono { font-family: var(--mono); font-size: .93em; }
.quiet { color: var(--ink-3); }
.soft { color: var(--ink-2); }

button, input, select { font: inherit; color: inherit; }
button { cursor: pointer; background: none; border: 0; padding: 0; text-align: inherit; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: 4px; }
h2[tabindex]:focus, main[tabindex]:focus { outline: none; }
.skip { position: absolute; left: 12px; top: -60px; background: var(--panel); padding: 8px 14px; z-index: 30; border-radius: 6px; }
.skip:focus { top: 12px; }

.button {
  display: inline-flex; align-items: center; gap: 6px; min-height: 28px; padding: 3px 10px;
  border: 1px solid var(--line); border-radius: 6px; background: var(--panel); color: var(--ink-2);
  font-size: 13px; white-space: nowrap;
}
.button:hover { border-color: var(--line-strong); color: var(--ink); }
.button[disabled] { opacity: .4; cursor: default; }
.button.square { min-width: 28px; justify-content: center; padding: 3px 6px; }
.link { color: var(--accent); }
.link:hover { text-decoration: underline; text-underline-offset: 2px; }
a.link { text-decoration: none; }

.switch { display: inline-flex; border: 1px solid var(--line); border-radius: 7px; background: var(--sunk); padding: 2px; gap: 1px; max-width: 100%; overflow-x: auto; scrollbar-width: none; }
.switch button { padding: 2px 9px; border-radius: 5px; color: var(--ink-2); font-size: 12.5px; white-space: nowrap; min-height: 24px; }
.switch button:hover { color: var(--ink); }
.switch button[aria-pressed="true"], .switch button[aria-selected="true"] { background: var(--panel); color: var(--ink); box-shadow: 0 0 0 1px var(--line), 0 1px 2px rgb(0 0 0 / .06); font-weight: 560; }
.switch button:focus-visible { outline-offset: -1px; }

/* The page */
.wrap { max-width: 2440px; margin: 0 auto; padding: 0 28px 48px; }
.masthead { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 4px 32px; padding: 26px 0 16px; align-items: end; }
.masthead .crumb { grid-column: 1 / -1; font-size: 13px; }
.masthead .made { font-size: 12.5px; color: var(--ink-3); text-align: right; line-height: 1.5; }
.masthead .where { color: var(--ink-2); font-size: 13px; margin-top: 5px; display: flex; flex-wrap: wrap; gap: 2px 16px; }
.figures { display: flex; flex-wrap: wrap; border-top: 1px solid var(--line); border-bottom: 1px solid var(--line); padding: 12px 0; gap: 12px clamp(20px, 3vw, 44px); }
.figure dt { font-size: 12px; color: var(--ink-3); }
.figure dd { font-size: 22px; line-height: 1.25; font-weight: 600; letter-spacing: -.015em; }
.figure dd.text { font-size: 16px; line-height: 27px; letter-spacing: -.005em; }
.figure dd.sub { font-size: 12.5px; line-height: 1.5; font-weight: 400; letter-spacing: 0; color: var(--ink-2); }
.figure .sub span { margin-right: 8px; white-space: nowrap; }
.notices { padding-top: 12px; display: grid; gap: 6px; }
.notice { display: flex; gap: 8px; align-items: baseline; font-size: 13px; padding: 6px 12px; border-radius: 7px; background: var(--warn-soft); color: var(--ink); border-left: 3px solid var(--warn); }
.notice.note { background: var(--sunk); border-left-color: var(--line-strong); }
.notice.bad { background: var(--bad-soft); border-left-color: var(--bad); }
.notice b { font-weight: 600; white-space: nowrap; }

.board { display: grid; grid-template-columns: minmax(0, 1fr); gap: 16px; padding-top: 16px; }
.charts { display: grid; grid-template-columns: repeat(12, minmax(0, 1fr)); gap: 16px; align-content: start; }
.panel { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; padding: 14px 16px 16px; min-width: 0; position: relative; }
.panel > header { display: flex; flex-wrap: wrap; gap: 8px 14px; align-items: center; margin-bottom: 10px; min-height: 28px; }
.panel > header .spacer { flex: 1; }
.panel > header .hint { color: var(--ink-3); font-size: 12.5px; }
.timeline { grid-column: 1 / -1; container-type: inline-size; }
@container (max-width: 960px) {
  .timeline > header .switches { display: contents; }
  .timeline > header .spacer { display: none; }
  .timeline > header { gap: 8px; }
  .timeline > header h2 { flex: 1 0 100%; }
  .timeline .switch button { padding: 2px 7px; }
}
.heat { grid-column: span 6; }
.growth { grid-column: span 6; }
.rank { grid-column: span 4; }
.empty { color: var(--ink-3); padding: 28px 0; text-align: center; }

/* Charts */
.plot { position: relative; user-select: none; -webkit-user-select: none; border-radius: 4px; }
.plot svg { display: block; width: 100%; overflow: visible; }
.plot text { fill: var(--ink-3); font: 11px var(--sans); font-variant-numeric: tabular-nums; }
.plot text.strong { fill: var(--ink); font-weight: 600; }
.plot .grid { stroke: var(--line); stroke-width: 1; shape-rendering: crispEdges; }
.axis { stroke: var(--line-strong); stroke-width: 1; shape-rendering: crispEdges; }
.plot .band { fill: var(--accent); opacity: .12; }
.plot .band-edge { stroke: var(--accent); stroke-width: 1; shape-rendering: crispEdges; }
.plot .hover { fill: var(--ink); opacity: .05; }
.plot .cursor { fill: none; stroke: var(--focus); stroke-width: 2; }
.plot .dim { opacity: .22; }
.plot.drag { cursor: crosshair; touch-action: pan-y; }
.plot .hit { fill: transparent; }
.f0 { fill: var(--s0); } .f1 { fill: var(--s1); } .f2 { fill: var(--s2); } .f3 { fill: var(--s3); }
.f4 { fill: var(--s4); } .f5 { fill: var(--s5); } .f6 { fill: var(--s6); } .f7 { fill: var(--s7); } .fnone { fill: var(--none); }
.fother { fill: var(--other); } .finsert { fill: var(--insert); } .fupdate { fill: var(--update); } .fdelete { fill: var(--delete); }
.b0 { background: var(--s0); } .b1 { background: var(--s1); } .b2 { background: var(--s2); } .b3 { background: var(--s3); }
.b4 { background: var(--s4); } .b5 { background: var(--s5); } .b6 { background: var(--s6); } .b7 { background: var(--s7); } .bnone { background: var(--none); }
.bother { background: var(--other); } .binsert { background: var(--insert); } .bupdate { background: var(--update); } .bdelete { background: var(--delete); }
.tinsert { color: var(--insert); } .tupdate { color: var(--update); } .tdelete { color: var(--delete); }
.spark { fill: var(--s0); }

.legend { display: flex; flex-wrap: wrap; gap: 4px 6px; margin-top: 10px; }
.legend button, .legend span.key { display: inline-flex; align-items: center; gap: 6px; font-size: 12.5px; padding: 1px 8px 1px 6px; border-radius: 5px; color: var(--ink-2); max-width: 100%; min-height: 24px; }
.legend button:hover { background: var(--sunk); color: var(--ink); }
.legend button[aria-pressed="true"] { background: var(--accent-soft); color: var(--ink); }
.legend .name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-width: 28ch; }
.legend .count { color: var(--ink-3); }
.swatch { width: 10px; height: 10px; border-radius: 2.5px; flex: none; display: inline-block; }

.cell { fill: rgb(var(--heat)); }
.cell.zero { fill: var(--sunk); }
.cell.picked { stroke: var(--ink); stroke-width: 2; }
.scale { display: flex; gap: 8px; align-items: center; font-size: 11.5px; color: var(--ink-3); margin-top: 8px; }
.scale svg { width: 110px; height: 10px; flex: none; }

.grow-area { fill: var(--s0); opacity: .13; }
.grow-line { fill: none; stroke: var(--s0); stroke-width: 2; stroke-linejoin: round; }
.grow-next { fill: none; stroke: var(--s0); stroke-width: 2; stroke-dasharray: 2 5; stroke-linecap: round; }
.grow-dot { fill: var(--s0); stroke: var(--panel); stroke-width: 2; }
.facts { display: flex; flex-wrap: wrap; gap: 4px 22px; font-size: 12.5px; color: var(--ink-2); margin-top: 10px; }
.facts b { color: var(--ink); font-weight: 600; }

.ranks { display: grid; gap: 1px; max-height: 336px; overflow-y: auto; scrollbar-width: thin; margin: 0 -8px; }
.ranks button { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 12px; padding: 3px 8px 5px; border-radius: 6px; align-items: baseline; width: 100%; }
.ranks button:hover { background: var(--sunk); }
.ranks button[aria-pressed="true"] { background: var(--accent-soft); }
.ranks button:focus-visible { outline-offset: -2px; }
.ranks .name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: 13px; }
.ranks .of { color: var(--ink-3); }
.ranks .count { font-size: 13px; color: var(--ink-2); }
.ranks svg { grid-column: 1 / -1; width: 100%; height: 4px; border-radius: 2px; margin-top: 2px; background: var(--sunk); }
.none-name { font-style: italic; color: var(--ink-2); }

/* Tables beside the charts */
.table-box { max-height: 320px; overflow: auto; scrollbar-width: thin; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th { text-align: left; font-weight: 560; color: var(--ink-3); font-size: 12px; }
th, td { padding: 4px 12px 4px 0; border-bottom: 1px solid var(--line); vertical-align: baseline; }
th.number, td.number { text-align: right; white-space: nowrap; }
th:last-child, td:last-child { padding-right: 0; }
.table-box thead th { position: sticky; top: 0; background: var(--panel); z-index: 1; }

/* Switches in the heads of panels */
.switches { display: flex; flex-wrap: wrap; gap: 6px 10px; max-width: 100%; }
.zoom { display: inline-flex; gap: 4px; }
.small { font-size: 12.5px; }
.inline { display: inline; }
.veil { fill: var(--panel); opacity: .72; }
.picked-range { fill: var(--accent); }
.strip { margin-top: 6px; cursor: pointer; }
.kind-link { margin-right: 10px; border-radius: 4px; }
.kind-link b { margin-right: 3px; font-family: var(--mono); }
.kind-link:hover { text-decoration: underline; text-underline-offset: 2px; }
.kind-link[aria-pressed="true"] { background: var(--accent-soft); box-shadow: 0 0 0 3px var(--accent-soft); }
.to-list { margin-left: auto; }
.search.wide { max-width: none; }

/* Filters */
.filters { position: sticky; top: 0; z-index: 10; background: color-mix(in srgb, var(--paper) 93%, transparent); backdrop-filter: blur(8px); margin: 0 -28px; padding: 10px 28px; display: flex; flex-wrap: wrap; gap: 6px 8px; align-items: center; border-bottom: 1px solid transparent; font-size: 13px; }
.filters.on { border-bottom-color: var(--line); }
.filters .count { font-weight: 600; margin-right: 4px; }
.chip { display: inline-flex; align-items: center; gap: 6px; padding: 1px 4px 1px 10px; border-radius: 14px; background: var(--accent-soft); color: var(--ink); max-width: min(100%, 46ch); min-height: 26px; }
.chip > span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.chip .of { color: var(--ink-2); margin-right: 5px; }
.chip .x { font-size: 15px; line-height: 1; color: var(--ink-2); flex: none; width: 20px; text-align: center; }
.chip:hover .x { color: var(--ink); }

/* Transactions and what is open */
.work { display: grid; grid-template-columns: minmax(0, 1.15fr) minmax(0, 1fr); gap: 16px; align-items: start; scroll-margin-top: 56px; }
.search { position: relative; flex: 1 1 220px; min-width: 0; max-width: 460px; }
.search input { width: 100%; min-height: 30px; padding: 3px 10px 3px 30px; border-radius: 7px; border: 1px solid var(--line); background: var(--paper); }
.search input::placeholder { color: var(--ink-3); opacity: 1; }
.search svg { position: absolute; left: 9px; top: 8px; width: 14px; height: 14px; stroke: var(--ink-3); fill: none; stroke-width: 1.6; pointer-events: none; }
.offers { position: absolute; z-index: 15; left: 0; right: 0; top: 34px; background: var(--panel); border: 1px solid var(--line-strong); border-radius: 8px; padding: 4px; box-shadow: 0 8px 24px rgb(0 0 0 / .14); max-height: 300px; overflow: auto; }
.offers li { padding: 4px 10px; border-radius: 5px; display: flex; gap: 12px; justify-content: space-between; font-size: 13px; cursor: pointer; }
.offers li[aria-selected="true"], .offers li:hover { background: var(--accent-soft); }
.offers .group { color: var(--ink-3); font-size: 11.5px; padding: 4px 10px 2px; cursor: default; background: none !important; }
.rows { position: relative; overflow-y: auto; overflow-x: hidden; height: min(70vh, 680px); margin: 0 -16px -16px; border-top: 1px solid var(--line); border-radius: 0 0 10px 10px; scrollbar-width: thin; contain: strict; }
.rows:focus-visible { outline-offset: -2px; }
.rows .space { position: relative; }
.row { position: absolute; left: 0; right: 0; height: 34px; padding: 0 16px; display: grid; grid-template-columns: 6.6ch 11ch 9ch minmax(0, 14ch) minmax(0, 1fr); gap: 0 12px; align-items: center; cursor: pointer; white-space: nowrap; font-size: 13px; }
.row + .row { border-top: 1px solid color-mix(in srgb, var(--line) 55%, transparent); }
.row.day { border-top: 1px solid var(--line-strong); }
.row > * { overflow: hidden; text-overflow: ellipsis; }
.row:hover { background: var(--sunk); }
.row.picked { background: var(--accent-soft); }
.rows:focus-visible .row.at { background: var(--sunk); box-shadow: inset 5px 0 0 var(--focus); }
.rows:focus-visible .row.at.picked { background: var(--accent-soft); }
.row .token { text-align: right; color: var(--ink-2); font-family: var(--mono); font-size: 12.5px; }
.row .date { color: var(--ink-2); }
.row .who { display: flex; align-items: center; gap: 6px; }
.row .who .name { overflow: hidden; text-overflow: ellipsis; }
.row .what { color: var(--ink-2); }
.row .what .one { margin-right: 10px; }
.row .what .one > span { font-family: var(--mono); font-size: 12px; margin-left: 4px; }
.row .what .mark { font-weight: 600; }
/* Two lines a row where the list is narrow */
.tight .row { grid-template-columns: 6ch minmax(0, 1fr) auto; grid-template-rows: 20px 18px; height: 52px; padding: 6px 12px; gap: 0 10px; align-content: center; }
.tight .row .who { grid-row: 1; grid-column: 2; }
.tight .row .date { grid-row: 1; grid-column: 3; text-align: right; }
.tight .row .time { grid-row: 2; grid-column: 3; text-align: right; color: var(--ink-3); }
.tight .row .what { grid-row: 2; grid-column: 2; }
.cut { font-size: 12.5px; color: var(--ink-3); padding: 8px 0 0; }

.inspect { position: sticky; top: 56px; max-height: calc(100vh - 72px); overflow-y: auto; scrollbar-width: thin; }
.inspect .title { display: flex; gap: 10px; align-items: center; flex-wrap: wrap; }
.inspect .title h2 { font-size: 18px; letter-spacing: -.01em; flex: 1 1 auto; min-width: 0; }
.pairs { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 2px 16px; font-size: 13px; margin: 10px 0 14px; }
.pairs dt { color: var(--ink-3); }
h3 + div > .change:first-child { margin-top: 6px; }
.change { border-top: 1px solid var(--line); padding: 8px 0 9px; }
.change .top { display: flex; gap: 8px; align-items: baseline; flex-wrap: wrap; }
.mark { font-family: var(--mono); font-weight: 700; width: 1.1ch; display: inline-block; text-align: center; }
.change .kind { font-size: 12px; color: var(--ink-3); }
.change .when { margin-left: auto; font-size: 12.5px; color: var(--ink-3); white-space: nowrap; }
.names { display: flex; flex-wrap: wrap; gap: 4px; margin: 5px 0 0 19px; }
.names button, .names span { font-size: 12px; padding: 1px 7px; border-radius: 4px; background: var(--sunk); color: var(--ink-2); }
.names button:hover { color: var(--ink); background: var(--accent-soft); }
.values { margin: 5px 0 0 19px; width: calc(100% - 19px); table-layout: fixed; }
.values th { width: 30%; font-weight: 500; font-size: 12.5px; color: var(--ink-2); }
.values td, .values th { padding: 3px 10px 3px 0; border-bottom: 0; border-top: 1px dashed var(--line); }
.values tr:first-child > * { border-top: 0; }
.values .old { color: var(--ink-3); text-decoration: line-through; text-decoration-color: color-mix(in srgb, var(--ink-3) 60%, transparent); }
.values .to { color: var(--ink-3); padding: 0 6px; }
.values .v { white-space: pre-wrap; }
.values .type { color: var(--ink-3); font-style: italic; }
.aside { font-size: 12.5px; color: var(--ink-3); margin: 4px 0 0 19px; }
.more { margin-top: 10px; }
.life { margin: 8px 0 6px; }
.life-line { stroke: var(--line-strong); stroke-width: 2; }
.life-dot { stroke: var(--panel); stroke-width: 1.5; cursor: pointer; }
.life-dot.at { stroke: var(--ink); stroke-width: 2; }
.section { margin-top: 16px; }
.section h3 { margin-bottom: 6px; }
.cards { display: flex; flex-wrap: wrap; gap: 6px; }
.cards button { border: 1px solid var(--line); border-radius: 6px; padding: 2px 9px; font-size: 12.5px; }
.cards button:hover { border-color: var(--line-strong); background: var(--sunk); }
.cards .count { color: var(--ink-3); margin-left: 6px; }

/* Several stores */
.stores { width: 100%; }
.stores td, .stores th { padding: 9px 18px 9px 0; vertical-align: middle; }
.stores th { vertical-align: bottom; }
.stores tbody tr:last-child td { border-bottom: 0; }
.stores .sort:hover { color: var(--ink); }
.stores [aria-sort] .sort { color: var(--ink); text-decoration: underline; text-underline-offset: 3px; }
.stores .text { padding-left: 18px; white-space: nowrap; }
.stores th { white-space: nowrap; }
.stores .name + .small + .warn { max-width: 56ch; }
.stores tbody tr { cursor: pointer; }
.stores tbody tr:hover { background: var(--sunk); }
.stores .name { font-weight: 600; font-size: 14px; }
.stores svg { display: block; width: 180px; height: 28px; }
.stores .warn { color: var(--warn); font-size: 12.5px; }

.tip { position: fixed; z-index: 40; pointer-events: none; background: var(--panel); color: var(--ink); border: 1px solid var(--line-strong); border-radius: 7px; padding: 7px 10px; font-size: 12.5px; box-shadow: 0 6px 20px rgb(0 0 0 / .14); max-width: min(320px, 90vw); left: 0; top: 0; }
.tip .when { font-weight: 600; margin-bottom: 2px; }
.tip .item { display: flex; gap: 7px; align-items: center; }
.tip .item .name { flex: 1; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; color: var(--ink-2); }
.tip .item .count { margin-left: 10px; }
footer.end { margin-top: 28px; border-top: 1px solid var(--line); padding-top: 14px; color: var(--ink-3); font-size: 12.5px; display: flex; flex-wrap: wrap; gap: 4px 24px; }

/* Very wide: charts on the left, transactions beside them */
@media (min-width: 1900px) {
  .board { grid-template-columns: minmax(0, 1.1fr) minmax(0, 1fr); gap: 16px 20px; align-items: start; }
  .board .filters { grid-column: 1 / -1; }
  .work { position: sticky; top: 56px; }
  .rows { height: calc(100vh - 178px); }
  .inspect { position: static; }
  .to-list { display: none; }
}
@media (min-width: 1240px) and (max-width: 1899px) {
  .heat { grid-column: span 7; }
  .growth { grid-column: span 5; }
}
@media (max-width: 1000px) {
  .heat, .growth { grid-column: 1 / -1; }
  .rank { grid-column: span 6; }
  .rank:last-child { grid-column: 1 / -1; }
  .work { grid-template-columns: minmax(0, 1fr); }
  .inspect { position: static; max-height: none; }
  .inspect.open { position: fixed; inset: 0; z-index: 25; border-radius: 0; border: 0; max-height: none; overflow-y: auto; }
  .still { overflow: hidden; }
}
@media (min-width: 1001px) { .only-narrow { display: none; } }
@media (max-width: 700px) {
  .wrap { padding: 0 14px 32px; }
  .filters { margin: 0 -14px; padding: 8px 14px; }
  .masthead { grid-template-columns: minmax(0, 1fr); padding-top: 18px; }
  .masthead .made { text-align: left; }
  h1 { font-size: 22px; }
  .figures { gap: 10px 28px; }
  .figure dd { font-size: 19px; }
  .rank, .rank:last-child { grid-column: 1 / -1; }
  .panel > header { gap: 6px 8px; }
  .panel { padding: 12px 12px 14px; }
  .rows { margin: 0 -12px -14px; }
  .values th { width: 38%; }
  .stores thead { display: none; }
  .stores tr { display: grid; grid-template-columns: 1fr 1fr; gap: 2px 12px; padding: 10px 0; border-bottom: 1px solid var(--line); }
  .stores td { padding: 0; border: 0; text-align: left !important; white-space: normal !important; }
  .stores .sort:hover { color: var(--ink); }
.stores [aria-sort] .sort { color: var(--ink); text-decoration: underline; text-underline-offset: 3px; }
.stores .text { padding-left: 0; }
  .stores td:first-child, .stores td.wide { grid-column: 1 / -1; }
  .stores td::before { content: attr(data-label); color: var(--ink-3); font-size: 12px; margin-right: 6px; }
  .stores td:first-child::before, .stores td.wide::before { content: none; }
}

@media (prefers-reduced-motion: no-preference) {
  .row, .ranks button, .button, .legend button { transition: background-color .12s, border-color .12s; }
}

@media print {
  :root {
    color-scheme: light;
    --paper: #fff; --panel: #fff; --sunk: #f1f1ee; --line: #ddd; --line-strong: #bbb; --ink: #000; --ink-2: #444; --ink-3: #666;
    --accent: #1d63b8; --accent-soft: #eee; --s0: #2f6fb7; --s1: #e8932c; --s2: #12957a; --s3: #c0609d; --s4: #7cb9e8; --s5: #d2b116;
    --s6: #cc4e24; --s7: #7558b0; --none: #7d848e; --other: #bcc1c8; --insert: #0b7760; --update: #2f6fb7; --delete: #c4461d; --heat: 47, 111, 183;
  }
  @page { margin: 14mm; }
  body { font-size: 11px; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .wrap { padding: 0; max-width: none; }
  .button, .switch, .search, .skip, .tip, .hint { display: none !important; }
  .panel { break-inside: avoid; border-color: #ddd; }
  .filters { position: static; margin: 0; padding: 6px 0; background: none; }
  .filters:not(.on) { display: none; }
  .board, .work { display: block; position: static; }
  .board > *, .work > * { margin-bottom: 12px; }
  .charts { gap: 12px; }
  .plot svg { height: auto; }
  .rank, .rank:last-child { grid-column: span 4; }
  .ranks button:nth-child(n + 13) { display: none; }
  .ranks, .table-box { max-height: none; overflow: visible; }
  .rows { height: auto !important; overflow: visible; contain: none; }
  .rows .space { height: auto !important; }
  .row { position: static; height: auto; padding: 3px 0; break-inside: avoid; }
  .panel.list { break-inside: auto; }
  .inspect { position: static; max-height: none; overflow: visible; break-inside: auto; }
  .change { break-inside: avoid; }
}
</style>
</head>
<body>
<noscript><p class="alone">This report draws its charts with JavaScript, which is switched off here.</p></noscript>
<div id="page"></div>
<div id="tip" class="tip" role="presentation" hidden></div>
<div id="said" class="unseen" role="status" aria-live="polite"></div>
<script type="application/json" id="data">
"""##

  static let afterData = ##"""
</script>
<script>
(() => {
"use strict";

// dom.js
// Builds elements. Text becomes text nodes, never markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const el = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
const svg = (name, attributes, ...children) => fill(document.createElementNS(SVG, name), attributes, children);

// Text of a store: isolated from the direction of the text around it.
const own = (text, attributes) => el("bdi", attributes, visible(text));

const button = (text, action, attributes) =>
  el("button", { type: "button", class: "button", onclick: action, ...attributes }, text);

// A row of buttons of which one is pressed. Arrow keys move between them.
function choice(label, options, current, choose) {
  const buttons = options.map(([value, text, disabled]) =>
    el("button", {
      type: "button", "aria-pressed": String(value === current), "data-value": value, disabled,
      onclick: () => choose(value),
    }, text));
  return el("div", {
    class: "switch", role: "group", "aria-label": label,
    onkeydown: (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const at = buttons.indexOf(document.activeElement);
      if (!step || at < 0) return;
      event.preventDefault();
      buttons[(at + step + buttons.length) % buttons.length].focus();
    },
  }, buttons);
}

// Replaces the children of an element, and keeps the keyboard at the button that was pressed.
function replace(element, ...children) {
  const active = element.contains(document.activeElement) ? document.activeElement : null;
  const key = active?.dataset.value ?? active?.dataset.focus;
  const group = active?.closest("[aria-label]")?.getAttribute("aria-label");
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  if (key === undefined) return;
  for (const found of element.querySelectorAll("[data-value], [data-focus]")) {
    if ((found.dataset.value ?? found.dataset.focus) !== key) continue;
    if (group && found.closest("[aria-label]")?.getAttribute("aria-label") !== group) continue;
    found.focus({ preventScroll: true });
    return;
  }
}

// Tells screen readers what has changed.
const say = (text) => { document.getElementById("said").textContent = text; };

const narrow = () => matchMedia("(max-width: 1000px)").matches;

// format.js
// Turns numbers, sizes and values into text.

const english = new Intl.NumberFormat("en-US");
const number = (value) => (typeof value === "number" ? english.format(value) : value ?? "unknown");
const plural = (value, noun) => `${number(value)} ${noun}${value === 1 ? "" : "s"}`;

function bytes(value) {
  if (typeof value !== "number") return "unknown";
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let unit = 0;
  while (unit < units.length - 1 && Math.abs(value) >= 1023.95) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

// Three digits are enough for a rate.
const rate = (value) => (value >= 100 ? number(Math.round(value)) : String(Number(value.toPrecision(3))));

function duration(days) {
  if (days < 2 / 24) return plural(Math.max(1, Math.round(days * 1440)), "minute");
  if (days < 2) return plural(Math.round(days * 24), "hour");
  if (days < 60) return plural(Math.round(days), "day");
  if (days < 730) return plural(Math.round(days / 30.44), "month");
  return plural(Math.round(days / 365.25), "year");
}

// Control characters and those that turn the direction of text would hide what a text says.
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]/gu;
const visible = (text) => String(text).replace(hidden, (found) => `\\u{${found.codePointAt(0).toString(16)}}`);
const oneLine = (text) => visible(text).replace(/[\t\n]+/g, " ");

const KINDS = ["insert", "update", "delete", "other"];
const MARKS = ["+", "~", "\u2212", "?"];
const NONE = "(none)";
const named = (name) => (name === null || name === undefined ? NONE : oneLine(name));

// A value as text and, where the text alone does not say it, its type.
function valueText(value) {
  if (value === null) return { text: "nil", type: "none" };
  if (typeof value === "string") return { text: value === "" ? "\u201c\u201d" : visible(value), type: "text" };
  if (typeof value !== "object") return { text: String(value), type: typeof value };
  if ("$blob" in value) return { text: value.$blob, type: "data", note: `data, ${bytes(base64Length(value.$blob))}` };
  if ("$text" in value) return { text: value.$text, type: "data", note: "malformed text in Base64" };
  if ("$int" in value) return { text: value.$int, type: "number" };
  if ("$real" in value) return { text: value.$real, type: "number" };
  if ("$sha256" in value) return { text: value.$sha256, type: "data", note: `SHA-256 of ${bytes(value.length)}` };
  if ("$object" in value) return { text: visible(value.$object), type: "object" };
  if ("$cut" in value) return { text: `${visible(value.$cut)}\u2026`, type: "text", note: `cut, ${bytes(value.bytes)} in all` };
  return { text: visible(JSON.stringify(value)), type: "other" };
}

const base64Length = (text) => Math.floor((text.length * 3) / 4) - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0);

// clock.js
// Calendar of the page: the reader's time zone, or UTC. Times are milliseconds since 1970.

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const HOUR = 3600e3;
const two = (value) => String(value).padStart(2, "0");

const clock = {
  local: false,

  get zone() {
    return clock.local ? Intl.DateTimeFormat().resolvedOptions().timeZone ?? "local" : "UTC";
  },

  parts(time) {
    const date = new Date(time);
    return clock.local
      ? [date.getFullYear(), date.getMonth(), date.getDate(), date.getHours(), date.getMinutes(), date.getSeconds(), date.getDay()]
      : [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate(), date.getUTCHours(), date.getUTCMinutes(),
        date.getUTCSeconds(), date.getUTCDay()];
  },

  time(year, month, day, hour = 0) {
    const date = new Date(0);
    if (clock.local) {
      date.setFullYear(year, month, day);
      date.setHours(hour, 0, 0, 0);
    } else {
      date.setUTCFullYear(year, month, day);
      date.setUTCHours(hour, 0, 0, 0);
    }
    return date.getTime();
  },

  date(time) {
    const [year, month, day] = clock.parts(time);
    return `${year}-${two(month + 1)}-${two(day)}`;
  },

  second(time) {
    const [, , , hour, minute, second] = clock.parts(time);
    return `${two(hour)}:${two(minute)}:${two(second)}`;
  },

  // The beginning of the period that a time is in.
  floor(time, level) {
    const [year, month, day, hour, , , weekday] = clock.parts(time);
    switch (level) {
      // Hours that are repeated when clocks go back stay apart.
      case "hour": return Math.floor(time / HOUR) * HOUR;
      case "day": return clock.time(year, month, day);
      case "week": return clock.time(year, month, day - ((weekday + 6) % 7));
      case "month": return clock.time(year, month, 1);
      default: return clock.time(year, 0, 1);
    }
  },

  next(time, level) {
    const [year, month, day] = clock.parts(time);
    switch (level) {
      case "hour": return time + HOUR;
      case "day": return clock.time(year, month, day + 1);
      case "week": return clock.time(year, month, day + 7);
      case "month": return clock.time(year, month + 1, 1);
      default: return clock.time(year + 1, 0, 1);
    }
  },

  // A period in words: "Fri 20 Nov 2026", "week of 16 Nov 2026".
  period(start, level) {
    const [year, month, day, hour, minute, , weekday] = clock.parts(start);
    const date = `${day} ${MONTHS[month]} ${year}`;
    switch (level) {
      case "hour": return `${WEEKDAYS[(weekday + 6) % 7]} ${date}, ${two(hour)}:${two(minute)}`;
      case "day": return `${WEEKDAYS[(weekday + 6) % 7]} ${date}`;
      case "week": return `week of ${date}`;
      case "month": return `${MONTHS[month]} ${year}`;
      default: return String(year);
    }
  },

  shortDate(time) {
    const [year, month, day] = clock.parts(time);
    return `${day} ${MONTHS[month]} ${year}`;
  },

  range(from, to) {
    const whole = from === clock.floor(from, "day") && to === clock.floor(to, "day");
    if (!whole) {
      const minutes = (time) => clock.second(time).slice(0, 5);
      const same = clock.date(from) === clock.date(to - 1);
      return `${clock.shortDate(from)} ${minutes(from)} \u2013 ${same ? "" : `${clock.shortDate(to)} `}${minutes(to)}`;
    }
    const [first, last] = [clock.shortDate(from), clock.shortDate(to - 1)];
    return first === last ? first : `${first} \u2013 ${last}`;
  },
};

// A time of the data is in microseconds; one outside of what a number holds is text.
const milliseconds = (time) => (typeof time === "number" ? time / 1000 : null);

function moment(time) {
  if (time === null || time === undefined) return "no time";
  if (typeof time === "string") return visible(time);
  const at = milliseconds(time);
  return Math.abs(at) > 8.64e15 ? "no usable time" : `${clock.date(at)} ${clock.second(at)}`;
}

// data.js
// Reads the data of the page, and answers questions about one history.

const report = JSON.parse(document.getElementById("data").textContent);

const TX = { number: 0, time: 1, author: 2, bundle: 3, process: 4, context: 5, total: 6, changes: 7 };
const CHANGE = { kind: 0, entity: 1, key: 2, set: 3, tombstone: 4, values: 5, source: 6 };
const ROW = { transactions: 0, changes: 1, inserts: 2, updates: 3, deletes: 4, others: 5, bytes: 6 };
const DIMENSIONS = ["author", "bundle", "process", "entity", "kind"];

class History {
  constructor(raw, position) {
    this.raw = raw;
    this.position = position;
    this.name = raw.name;
    this.total = raw.total ?? [0, 0, 0, 0, 0, 0, null];
    this.texts = raw.texts ?? [];
    this.entities = raw.entities ?? [];
    this.sets = raw.sets ?? [];
    this.transactions = raw.transactions ?? [];
    this.binHours = raw.bins?.hours ?? 1;
    this.bins = History.unpack(raw.bins);
    this.byNumber = new Map(this.transactions.map((tx, index) => [String(tx[TX.number]), index]));
    this.colours = new Map();
  }

  // Differences become sums; hours become milliseconds.
  static unpack(bins) {
    const start = [];
    let hour = 0;
    for (const step of bins?.start ?? []) {
      hour += step;
      start.push(hour * HOUR);
    }
    const none = start.map(() => 0);
    const [inserts, updates, deletes] = [bins?.inserts ?? none, bins?.updates ?? none, bins?.deletes ?? none];
    const others = bins?.others ?? none;
    return {
      start, transactions: bins?.transactions ?? none, inserts, updates, deletes, others, bytes: bins?.bytes ?? null,
      changes: start.map((_, index) => inserts[index] + updates[index] + deletes[index] + others[index]),
    };
  }

  get isEmpty() { return this.total[ROW.transactions] === 0; }

  // The time from the first to the end of the last bin, or nothing.
  get span() {
    const { start } = this.bins;
    return start.length ? [start[0], start[start.length - 1] + this.binHours * HOUR] : null;
  }

  // Names and entries of a stack, each entry with its bin.
  stack(dimension) {
    const raw = this.raw.stacks?.[dimension];
    const names = raw ? [...raw.names] : [];
    const bin = [];
    let at = 0;
    for (const step of raw?.bin ?? []) {
      at += step;
      bin.push(at);
    }
    const name = raw?.name ?? [];
    return {
      names, bin, name, transactions: raw?.transactions ?? [], changes: raw?.changes ?? [],
      hasOthers: name.includes(names.length), others: raw?.others,
    };
  }

  // The class of a colour for a name, the same in every chart: "0" to "7", "none" or "other".
  colour(dimension, name) {
    if (dimension === "kind") return KINDS.includes(name) && name !== "other" ? name : "other";
    if (!this.colours.has(dimension)) {
      const found = new Map();
      let next = 0;
      for (const one of this.raw.stacks?.[dimension]?.names ?? []) found.set(one, one === null ? "none" : String(next++));
      this.colours.set(dimension, found);
    }
    return this.colours.get(dimension).get(name) ?? (name === null ? "none" : "other");
  }

  text(index) { return index === undefined || index === null || index < 0 ? null : this.texts[index] ?? null; }
  entity(index) { return index === null || index < 0 ? null : this.entities[index] ?? null; }
  objectName(change) {
    return `${this.entity(change[CHANGE.entity]) ?? "unknown"}/${change[CHANGE.key] == null ? "?" : `p${change[CHANGE.key]}`}`;
  }

  attributes(change) { return (this.sets[change[CHANGE.set]] ?? []).map((index) => this.texts[index]); }

  leftOut(kind) { return (this.raw.leftOut ?? []).find((one) => one.kind === kind); }

  // Every object of the carried transactions, with its changes, oldest first. Made when first asked for.
  get objects() {
    if (!this.objectMap) {
      this.objectMap = new Map();
      for (let index = this.transactions.length - 1; index >= 0; index -= 1) {
        for (const change of this.transactions[index][TX.changes]) {
          const name = this.objectName(change);
          const life = this.objectMap.get(name);
          if (life) life.changes.push([index, change]);
          else this.objectMap.set(name, { name, entity: change[CHANGE.entity], key: change[CHANGE.key], changes: [[index, change]] });
        }
      }
      this.objectsByActivity = [...this.objectMap.values()].sort((a, b) => b.changes.length - a.changes.length);
    }
    return this.objectMap;
  }

  // What search looks through: one lower-case text for each transaction.
  haystack(index) {
    this.haystacks ??= new Array(this.transactions.length);
    return (this.haystacks[index] ??= this.words(this.transactions[index]));
  }

  words(tx) {
    const words = [`#${tx[TX.number]}`];
    for (const place of [TX.author, TX.bundle, TX.process, TX.context]) if (tx[place] >= 0) words.push(this.texts[tx[place]]);
    const sets = new Set();
    for (const change of tx[TX.changes]) {
      words.push(this.objectName(change));
      if (change[CHANGE.set] != null) sets.add(change[CHANGE.set]);
      const tombstone = change[CHANGE.tombstone] ?? [];
      for (let at = 0; at < tombstone.length; at += 2) words.push(this.texts[tombstone[at]], History.plain(tombstone[at + 1]));
      const values = change[CHANGE.values] ?? [];
      for (let at = 0; at < values.length; at += 2) {
        words.push(this.texts[values[at]], History.plain(values[at + 1].old), History.plain(values[at + 1].new));
      }
    }
    for (const set of sets) for (const index of this.sets[set] ?? []) words.push(this.texts[index]);
    return words.join("\n").toLowerCase();
  }

  static plain(value) {
    if (value === null || value === undefined) return "";
    if (typeof value !== "object") return String(value);
    return value.$cut ?? value.$object ?? value.$int ?? value.$real ?? "";
  }
}

const histories = report.histories.map((raw, index) => new History(raw, index + 1));

// filters.js
// What the reader has chosen to see of a history, and which transactions match.

class Filters {
  constructor(history) {
    this.history = history;
    this.chosen = {};
    this.range = null;
    this.slot = null;
    this.query = "";
    this.listeners = [];
  }

  onChange(listener) { this.listeners.push(listener); }

  changed() {
    this.matches = null;
    for (const listener of this.listeners) listener();
    say(`${plural(this.indexes().length, "transaction")} shown`);
  }

  get isOn() { return Object.keys(this.chosen).length > 0 || this.range !== null || this.slot !== null || this.query !== ""; }

  has(dimension, name) { return dimension in this.chosen && this.chosen[dimension] === name; }

  // Chooses a name, or all again where it was chosen.
  toggle(dimension, name) {
    if (this.has(dimension, name)) delete this.chosen[dimension];
    else this.chosen[dimension] = name;
    this.changed();
  }

  setRange(range) {
    this.range = range;
    this.changed();
  }

  // One hour of one weekday.
  toggleSlot(slot) {
    this.slot = this.slot === slot ? null : slot;
    this.changed();
  }

  setQuery(query) {
    this.query = query.trim();
    this.changed();
  }

  clear() {
    this.chosen = {};
    this.range = this.slot = null;
    this.query = "";
    this.changed();
  }

  // Every filter as its label, its text and what removes it.
  get chips() {
    const chips = [];
    for (const [dimension, name] of Object.entries(this.chosen)) {
      chips.push([dimension, dimension === "attribute" ? name : named(name), () => this.toggle(dimension, name)]);
    }
    if (this.range) chips.push(["time", clock.range(...this.range), () => this.setRange(null)]);
    if (this.slot !== null) {
      const [day, hour] = [Math.floor(this.slot / 24), this.slot % 24];
      chips.push(["hour", `${WEEKDAYS[day]} ${two(hour)}:00\u2013${two((hour + 1) % 24)}:00`, () => this.toggleSlot(this.slot)]);
    }
    if (this.query) chips.push(["search", this.query, () => this.setQuery("")]);
    return chips;
  }

  // The indexes of the transactions that match all filters, newest first.
  indexes() {
    if (this.matches) return this.matches;
    const tests = this.tests();
    const found = [];
    const { transactions } = this.history;
    next: for (let index = 0; index < transactions.length; index += 1) {
      for (const test of tests) if (!test(transactions[index], index)) continue next;
      found.push(index);
    }
    return (this.matches = found);
  }

  tests() {
    const { history } = this;
    const tests = [];
    const any = (test) => (tx) => tx[TX.changes].some(test);
    for (const [dimension, name] of Object.entries(this.chosen)) {
      if (dimension === "entity") {
        const index = name === null ? -1 : place(history.entities, name);
        tests.push(any((change) => change[CHANGE.entity] === index));
      } else if (dimension === "kind") {
        const kind = KINDS.indexOf(name ?? "other");
        tests.push(any((change) => change[CHANGE.kind] === kind));
      } else if (dimension === "attribute") {
        const [entity, attribute] = splitAttribute(name);
        const [entityIndex, text] = [place(history.entities, entity), place(history.texts, attribute)];
        const sets = new Set(history.sets.flatMap((set, index) => (set.includes(text) ? [index] : [])));
        tests.push(any((change) => change[CHANGE.entity] === entityIndex && sets.has(change[CHANGE.set])));
      } else {
        const index = name === null ? -1 : place(history.texts, name);
        tests.push((tx) => tx[TX[dimension]] === index);
      }
    }
    if (this.range) {
      const [from, to] = this.range.map((time) => time * 1000);
      tests.push((tx) => typeof tx[TX.time] === "number" && tx[TX.time] >= from && tx[TX.time] < to);
    }
    if (this.slot !== null) {
      tests.push((tx) => {
        const time = milliseconds(tx[TX.time]);
        if (time === null) return false;
        const parts = clock.parts(time);
        return ((parts[6] + 6) % 7) * 24 + parts[3] === this.slot;
      });
    }
    const words = this.query.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length) tests.push((_, index) => words.every((word) => history.haystack(index).includes(word)));
    return tests;
  }
}

// The index of a name, or one that nothing has: -1 stands for no name at all.
function place(names, name) {
  const index = names.indexOf(name);
  return index < 0 ? NaN : index;
}

// An attribute is named with its entity; neither has a dot.
const joinAttribute = (entity, attribute) => `${entity}.${attribute}`;
const splitAttribute = (name) => [name.slice(0, name.indexOf(".")), name.slice(name.indexOf(".") + 1)];

// address.js
// Keeps what is shown in the part of the address after "#", so that a link leads to the same place.

const encode = (text) => encodeURIComponent(text).replace(/%2F/g, "/").replace(/%3A/g, ":");

function decode(text) {
  try {
    return decodeURIComponent(text.replace(/\+/g, "%20"));
  } catch {
    return text;
  }
}

const address = {
  // {store, tx, object, filters…} of the present address.
  read() {
    const found = {};
    for (const part of location.hash.slice(1).split("&")) {
      const at = part.indexOf("=");
      if (at > 0) found[part.slice(0, at)] = decode(part.slice(at + 1));
    }
    return found;
  },

  write(parts) {
    return "#" + Object.entries(parts).filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => `${name}=${encode(String(value))}`).join("&");
  },

  // The beginning of every link into a history.
  of(history) { return histories.length > 1 ? { store: history.position } : {}; },

  go(parts) { location.hash = address.write(parts); },

  // Changes the address without a step in the reader's history.
  replace(parts) {
    try {
      window.history.replaceState(null, "", address.write(parts) === "#" ? location.pathname + location.search : address.write(parts));
    } catch {
      // Some browsers limit how often the address may change. The next one brings the address up to date.
    }
  },

  // Filters as parts of an address.
  filters(filters) {
    const parts = {};
    const none = [];
    for (const [dimension, name] of Object.entries(filters.chosen)) {
      if (name === null) none.push(dimension);
      else parts[dimension] = name;
    }
    if (none.length) parts.none = none.join(",");
    if (filters.range) [parts.from, parts.to] = filters.range.map((time) => new Date(time).toISOString().replace(/\.000Z$/, "Z"));
    if (filters.slot !== null) parts.hour = filters.slot;
    if (filters.query) parts.search = filters.query;
    return parts;
  },

  // Whether the filters are already those of an address.
  isOf(parts, filters) {
    const { store, tx, object, ...wanted } = parts;
    const now = address.filters(filters);
    const names = new Set([...Object.keys(wanted), ...Object.keys(now)]);
    return [...names].every((name) => name in wanted && name in now && String(now[name]) === wanted[name]);
  },

  apply(parts, filters) {
    filters.chosen = {};
    for (const dimension of [...DIMENSIONS, "attribute"]) if (dimension in parts) filters.chosen[dimension] = parts[dimension];
    for (const dimension of (parts.none ?? "").split(",")) if (DIMENSIONS.includes(dimension)) filters.chosen[dimension] = null;
    const range = [Date.parse(parts.from), Date.parse(parts.to)];
    filters.range = range[0] < range[1] ? range : null;
    filters.slot = /^\d+$/.test(parts.hour ?? "") && Number(parts.hour) < 168 ? Number(parts.hour) : null;
    filters.query = parts.search ?? "";
    filters.changed();
  },
};

// chart.js
// What the charts share: panels, ticks, the tip beside the pointer, and a table in place of a chart.

// Steps of an axis from 0: at most `count`, at round numbers.
function ticks(most, count, base = 10) {
  if (!(most > 0)) return [0];
  const rough = most / count;
  const power = base === 10 ? 10 ** Math.floor(Math.log10(rough)) : 1024 ** Math.max(0, Math.floor(Math.log(rough) / Math.log(1024)));
  const factors = base === 10 ? [1, 2, 5, 10] : [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
  const step = Math.max(1, power * factors.find((factor) => power * factor >= rough));
  const found = [];
  for (let value = 0; value <= most + step * 1e-9; value += step) found.push(value);
  return found;
}

const compact = (value) =>
  value >= 1e6 ? `${Number((value / 1e6).toFixed(1))}M` : value >= 1e4 ? `${Number((value / 1e3).toFixed(1))}k` : number(value);

const swatch = (colour) => el("span", { class: `swatch b${colour}` });

const tip = {
  show(event, when, items, note) {
    const box = document.getElementById("tip");
    box.replaceChildren(
      el("div", { class: "when" }, when),
      ...items.map(([colour, name, count]) => el("div", { class: "item" }, colour === null ? null : swatch(colour),
        el("span", { class: "name" }, name), el("span", { class: "count" }, count))),
      ...(note ? [el("div", { class: "quiet" }, note)] : []));
    box.hidden = false;
    const { offsetWidth: width, offsetHeight: height } = box;
    const [x, y] = event.clientX === undefined ? tip.corner(event) : [event.clientX, event.clientY];
    const left = x + 16 + width > innerWidth ? Math.max(4, x - width - 16) : x + 16;
    const top = Math.max(4, Math.min(innerHeight - height - 4, y - height - 12 < 4 ? y + 18 : y - height - 12));
    box.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  },

  // Where the tip of a keyboard cursor goes.
  corner(element) {
    const box = element.getBoundingClientRect();
    return [box.right, box.top];
  },

  hide() { document.getElementById("tip").hidden = true; },
};

// A chart in a panel. `draw(width)` fills the plot; `table()` returns headings and rows.
class Chart {
  constructor(className, title, hint) {
    this.heading = el("h2", { id: `title-${className}` }, title);
    this.controls = el("span", { class: "switches" });
    this.asTable = false;
    this.tableButton = button("Table", () => this.showTable(!this.asTable), { "aria-pressed": "false", "aria-label": `${title}: show as table` });
    this.plot = el("div", { class: "plot", tabindex: 0, role: "application", "aria-roledescription": "chart", "aria-labelledby": `title-${className}` });
    this.legend = el("div", { class: "legend" });
    this.box = el("div", { class: "table-box", tabindex: 0, hidden: true, role: "region", "aria-labelledby": `title-${className}` });
    this.element = el("section", { class: `panel ${className}`, "aria-labelledby": `title-${className}` },
      el("header", {}, this.heading, el("span", { class: "spacer" }), this.controls, this.tableButton),
      this.plot, this.box, this.legend);
    if (hint) this.plot.setAttribute("aria-description", hint);
    this.plot.addEventListener("pointerleave", () => tip.hide());
    this.plot.addEventListener("blur", () => tip.hide());
    this.width = 0;
    new ResizeObserver(() => this.fit()).observe(this.plot);
  }

  // Draws where the width is new.
  fit() {
    const width = this.plot.clientWidth;
    if (width === 0 || width === this.width) return;
    this.width = width;
    this.draw();
  }

  redraw() {
    if (this.width > 0) this.draw();
    if (this.asTable) this.fillTable();
  }

  showTable(on) {
    this.asTable = on;
    this.tableButton.setAttribute("aria-pressed", String(on));
    this.tableButton.textContent = on ? "Chart" : "Table";
    this.plot.hidden = on;
    this.box.hidden = !on;
    if (on) this.fillTable();
  }

  fillTable() {
    const { headings, rows } = this.table();
    const most = 1000;
    this.box.replaceChildren(rows.length === 0 ? el("p", { class: "empty" }, "Nothing to show.") : el("table", {},
      el("thead", {}, el("tr", {}, headings.map((heading, at) => el("th", { scope: "col", class: at > 0 && "number" }, heading)))),
      el("tbody", {}, rows.slice(0, most).map((row) => el("tr", {}, row.map((cell, at) =>
        at === 0 ? el("th", { scope: "row" }, cell) : el("td", { class: "number" }, cell)))))));
    if (rows.length > most) this.box.append(el("p", { class: "cut" }, `The first ${number(most)} of ${number(rows.length)} rows. Zoom in for the others.`));
  }
}

// timeline.js
// Saves over time, stacked by author or another dimension.

const LEVELS = ["hour", "day", "week", "month", "year"];
const LEVEL_LENGTHS = { hour: HOUR, day: 24 * HOUR, week: 168 * HOUR, month: 730.5 * HOUR, year: 8766 * HOUR };
const MOST_BARS = 1500;

class Timeline extends Chart {
  constructor(history, filters) {
    super("timeline", "Activity",
      "Left and right arrow keys move between the bars, Enter filters the transactions, plus and minus zoom, 0 shows everything.");
    this.history = history;
    this.filters = filters;
    this.dimension = "author";
    this.measure = "transactions";
    this.level = "auto";
    this.view = null;
    this.cursor = -1;
    this.plot.classList.add("drag");
    this.listen();
    this.showControls();
  }

  get domain() {
    const span = this.history.span;
    if (!span) return null;
    // A history of less than a day is shown as the day around it.
    if (span[1] - span[0] < 24 * HOUR) {
      const first = clock.floor(span[0], "day");
      return [first, clock.next(clock.floor(span[1] - 1, "day"), "day")];
    }
    return span;
  }

  // The shortest periods that a bin fits into.
  get levels() {
    return LEVELS.filter((level) => LEVEL_LENGTHS[level] >= this.history.binHours * HOUR);
  }

  barsAt(level, [from, to]) { return (to - from) / LEVEL_LENGTHS[level]; }

  currentLevel(view) {
    const { levels } = this;
    if (this.level !== "auto" && levels.includes(this.level) && this.barsAt(this.level, view) <= MOST_BARS) return this.level;
    return levels.find((level) => this.barsAt(level, view) <= Math.max(24, this.width / 7)) ?? "year";
  }

  // Bars of the view: their beginnings, and one more for the end.
  layOut() {
    const domain = this.domain;
    if (!domain) return null;
    const view = this.view ?? domain;
    const level = this.currentLevel(view);
    const starts = [];
    let at = clock.floor(view[0], level);
    while (at < view[1]) {
      starts.push(at);
      at = clock.next(at, level);
    }
    return { level, starts, end: at, view: [starts[0], at] };
  }

  count(layout) {
    const { history } = this;
    const stack = history.stack(this.dimension);
    const { start } = history.bins;
    const bars = new Int32Array(start.length).fill(-1);
    let bar = 0;
    for (let bin = 0; bin < start.length; bin += 1) {
      if (start[bin] < layout.starts[0]) continue;
      if (start[bin] >= layout.end) break;
      while (bar + 1 < layout.starts.length && layout.starts[bar + 1] <= start[bin]) bar += 1;
      bars[bin] = bar;
    }
    const series = stack.names.length + (stack.hasOthers ? 1 : 0);
    const width = layout.starts.length;
    const counts = Array.from({ length: series }, () => new Float64Array(width));
    const totals = { transactions: new Float64Array(width), changes: new Float64Array(width) };
    for (let bin = 0; bin < start.length; bin += 1) {
      if (bars[bin] < 0) continue;
      totals.transactions[bars[bin]] += history.bins.transactions[bin];
      totals.changes[bars[bin]] += history.bins.changes[bin];
    }
    const values = stack[this.measure];
    for (let at = 0; at < stack.bin.length; at += 1) {
      const place = bars[stack.bin[at]];
      if (place >= 0) counts[stack.name[at]][place] += values[at];
    }
    const names = [...stack.names, ...(stack.hasOthers ? [undefined] : [])];
    return { names, counts, totals, others: stack.others };
  }

  showControls() {
    const { history } = this;
    const layout = this.width > 0 ? this.layOut() : null;
    const view = layout?.view ?? this.domain;
    const set = (name) => (value) => {
      this[name] = value;
      if (name === "dimension") this.measure = value === "entity" || value === "kind" ? "changes" : this.measure;
      this.cursor = -1;
      this.showControls();
      this.redraw();
    };
    const ofObjects = this.dimension === "entity" || this.dimension === "kind";
    replace(this.controls,
      choice("Stack by", DIMENSIONS.map((one) => [one, one[0].toUpperCase() + one.slice(1)]), this.dimension, set("dimension")),
      choice("Count", [["transactions", "Saves", ofObjects], ["changes", "Changes"]], this.measure, set("measure")),
      choice("Length of a bar", [["auto", "Auto"], ...LEVELS.map((level) =>
        [level, level[0].toUpperCase() + level.slice(1), !view || !this.levels.includes(level) || this.barsAt(level, view) > MOST_BARS])],
      this.level, set("level")),
      el("span", { class: "zoom", role: "group", "aria-label": "Zoom" },
        button("\u2212", () => this.zoom(2), { class: "button square", "aria-label": "Zoom out", disabled: !this.view, "data-focus": "out" }),
        button("+", () => this.zoom(0.5), { class: "button square", "aria-label": "Zoom in", disabled: history.isEmpty, "data-focus": "in" }),
        button("All", () => this.showAll(), { disabled: !this.view && !this.filters.range, "data-focus": "all" })));
  }

  // Shows what the filters are now.
  mark() {
    this.showControls();
    this.redraw();
  }

  setView(view) {
    const domain = this.domain;
    this.view = view && (view[0] > domain[0] || view[1] < domain[1]) ? view : null;
    this.cursor = -1;
    tip.hide();
    this.showControls();
    this.redraw();
  }

  showAll() {
    this.setView(null);
    if (this.filters.range) this.filters.setRange(null);
  }

  // Zooms around the cursor, the filter or the middle.
  zoom(factor) {
    const layout = this.layOut();
    if (!layout) return;
    const { view } = layout;
    const shortest = 6 * this.history.binHours * HOUR;
    const [from, to] = this.filters.range ?? view;
    const chosen = this.cursor >= 0 ? layout.starts[this.cursor] : (from + to) / 2;
    const middle = Math.min(view[1], Math.max(view[0], chosen));
    const length = Math.max(shortest, (view[1] - view[0]) * factor);
    this.setView(this.within([middle - length / 2, middle + length / 2]));
  }

  within([from, to]) {
    const [first, last] = this.domain;
    const length = Math.min(to - from, last - first);
    const start = Math.max(first, Math.min(from, last - length));
    return [start, start + length];
  }

  pan(direction) {
    if (!this.view) return;
    const step = (this.view[1] - this.view[0]) * 0.25 * direction;
    this.setView(this.within([this.view[0] + step, this.view[1] + step]));
  }

  get margins() { return { left: 40, right: 4, top: 8, bottom: 22, height: 210 }; }

  draw() {
    const layout = (this.layout = this.layOut());
    const { heading, history, width } = this;
    if (!layout) {
      heading.textContent = "Activity";
      this.plot.replaceChildren(el("p", { class: "empty" }, history.isEmpty ? "This history has no transactions." : "No transaction has a usable time."));
      this.legend.replaceChildren();
      return;
    }
    const { left, right, top, bottom, height } = this.margins;
    const counted = (this.counted = this.count(layout));
    const bars = layout.starts.length;
    const step = (width - left - right) / bars;
    this.step = step;
    const sums = (this.sums = new Float64Array(bars));
    for (const series of counted.counts) for (let bar = 0; bar < bars; bar += 1) sums[bar] += series[bar];
    const most = Math.max(4, ...sums) * 1.04;
    const marks = ticks(most, 4);
    const scale = (height - top - bottom) / most;
    const base = height - bottom;
    const gap = step > 4 ? Math.min(3, step * 0.18) : 0;
    const thick = Math.min(56, step - gap);
    const inset = (step - thick) / 2;

    const parts = marks.map((value) => svg("g", {},
      svg("line", { class: value === 0 ? "axis" : "grid", x1: left, x2: width - right, y1: base - value * scale, y2: base - value * scale }),
      svg("text", { x: left - 8, y: base - value * scale + 4, "text-anchor": "end" }, compact(value))));
    const tops = new Float64Array(bars);
    counted.counts.forEach((series, index) => {
      let path = "";
      for (let bar = 0; bar < bars; bar += 1) {
        if (series[bar] === 0) continue;
        const [y0, y1] = [base - tops[bar] * scale, base - (tops[bar] + series[bar]) * scale];
        tops[bar] += series[bar];
        path += `M${(left + bar * step + inset).toFixed(2)} ${y0.toFixed(2)}h${thick.toFixed(2)}V${y1.toFixed(2)}h${(-thick).toFixed(2)}z`;
      }
      const name = counted.names[index];
      const isDim = this.dimension in this.filters.chosen && this.filters.chosen[this.dimension] !== name;
      parts.push(svg("path", { class: `series f${name === undefined ? "other" : history.colour(this.dimension, name)}${isDim ? " dim" : ""}`, d: path }));
    });
    parts.push(...this.labels(layout, left, step, base));
    parts.push(...this.veil(layout, left, step, top, base, width - right));
    this.band = svg("rect", { class: "band", y: top, height: base - top, visibility: "hidden" });
    this.hover = svg("rect", { class: "hover", y: top, height: base - top, width: step, visibility: "hidden" });
    this.ring = svg("rect", { class: "cursor", y: top, height: base - top, width: step, rx: 3, visibility: "hidden" });
    parts.push(this.band, this.hover, this.ring);
    this.plot.replaceChildren(
      svg("svg", { viewBox: `0 0 ${width} ${height}`, height, "aria-hidden": "true" }, parts), this.strip(layout));
    this.placeCursor();
    heading.textContent = `${this.measure === "changes" ? "Changes" : "Saves"} by ${layout.level}`;
    this.showLegend(counted);
  }

  // Greys out what the time filter leaves out.
  veil(layout, left, step, top, base, end) {
    const { range } = this.filters;
    if (!range) return [];
    const x = (time) => {
      let bar = layout.starts.findIndex((start) => start >= time);
      if (bar < 0) bar = time >= layout.end ? layout.starts.length : layout.starts.length - 1;
      return left + bar * step;
    };
    const [from, to] = [x(range[0]), Math.max(x(range[0]) + 1, x(range[1]))];
    const shade = (x1, x2) => x2 > x1 && svg("rect", { class: "veil", x: x1, width: x2 - x1, y: top, height: base - top });
    return [shade(left, from), shade(to, end),
      svg("rect", { class: "picked-range", x: from, width: Math.max(1, to - from), y: base + 1, height: 3 })].filter(Boolean);
  }

  labels(layout, left, step, base) {
    const { level, starts } = layout;
    const found = [];
    const taken = [];
    const place = (bar, text, strong) => {
      const wide = text.length * 6.2 + 14;
      const x = left + bar * step;
      if (x + wide - 10 > this.width || taken.some(([from, to]) => x < to && x + wide > from)) return;
      taken.push([x, x + wide]);
      found.push(svg("line", { class: "axis", x1: x, x2: x, y1: base, y2: base + 5 }),
        svg("text", { x: x + 3, y: base + 16, class: strong ? "strong" : null }, text));
    };
    const parts = starts.map((start) => clock.parts(start));
    const turns = { hour: 2, day: 1, week: 1, month: 0, year: null }[level];
    const name = ([year, month, day], first) => level === "hour" ? `${day} ${MONTHS[month]}${first ? ` ${year}` : ""}`
      : level === "month" ? String(year) : `${MONTHS[month]}${first || month === 0 ? ` ${year}` : ""}`;
    if (level === "year") {
      parts.forEach((part, bar) => place(bar, String(part[0]), false));
      return found;
    }
    // The first label has the year. A part of a period at the beginning has none where the next label needs the place.
    const majors = parts.flatMap((part, bar) => (bar === 0 || part[turns] !== parts[bar - 1][turns] ? [bar] : []));
    const first = (bar) => (level === "day" && parts[bar][2] > 1 ? `${parts[bar][2]} ` : "") + name(parts[bar], true);
    if (majors.length > 1 && majors[1] * step < first(0).length * 6.2 + 14) majors.shift();
    majors.forEach((bar, at) => place(bar, at === 0 ? first(bar) : name(parts[bar], false), true));
    const every = { hour: [6, 3, 2, 1], day: [7, 2, 1], week: step > 26 ? [1] : [], month: [6, 3, 1] }[level];
    for (const multiple of every) {
      parts.forEach((part, bar) => {
        if (level === "hour" && part[3] % multiple === 0 && part[3] > 0) place(bar, `${two(part[3])}:00`, false);
        if (level === "day" && (multiple === 7 ? part[6] === 1 : part[2] % multiple === 0)) place(bar, String(part[2]), false);
        if (level === "week") place(bar, String(part[2]), false);
        if (level === "month" && part[1] % multiple === 0) place(bar, MONTHS[part[1]], false);
      });
    }
    return found;
  }

  // The whole history below a part of it, with the part marked.
  strip(layout) {
    if (!this.view) return "";
    const { left, right } = this.margins;
    const [from, to] = this.domain;
    const width = this.width - left - right;
    const columns = Math.max(1, Math.floor(width / 3));
    const counts = new Float64Array(columns);
    const { bins } = this.history;
    bins.start.forEach((start, bin) => {
      counts[Math.min(columns - 1, Math.max(0, Math.floor(((start - from) / (to - from)) * columns)))] += bins[this.measure][bin];
    });
    const most = Math.max(1, ...counts);
    let path = "";
    counts.forEach((count, column) => {
      if (count === 0) return;
      const tall = Math.max(1.5, (count / most) * 22);
      path += `M${(left + (column * width) / columns).toFixed(1)} 28v${(-tall).toFixed(1)}h${(width / columns).toFixed(2)}v${tall.toFixed(1)}z`;
    });
    const x = (time) => left + ((Math.min(to, Math.max(from, time)) - from) / (to - from)) * width;
    const [x0, x1] = [x(layout.view[0]), x(layout.view[1])];
    return svg("svg", {
      class: "strip", viewBox: `0 0 ${this.width} 30`, height: 30, "aria-hidden": "true",
      onpointerdown: (event) => {
        event.stopPropagation();
        const time = from + ((event.offsetX - left) / width) * (to - from);
        const half = (this.view[1] - this.view[0]) / 2;
        this.setView(this.within([time - half, time + half]));
      },
    }, svg("rect", { class: "hit", x: 0, y: 0, width: this.width, height: 30 }), svg("path", { class: "fother", d: path }),
    svg("line", { class: "axis", x1: left, x2: left + width, y1: 28.5, y2: 28.5 }),
    svg("rect", { class: "band", x: x0, width: Math.max(3, x1 - x0), y: 2, height: 27, rx: 2 }));
  }

  showLegend(counted) {
    const sums = counted.counts.map((series) => series.reduce((sum, count) => sum + count, 0));
    const keys = counted.names.map((name, index) => {
      const count = el("span", { class: "count" }, number(sums[index]));
      if (name === undefined) {
        return el("span", { class: "key" }, swatch("other"),
          typeof counted.others === "number" ? `${number(counted.others)} more` : "others", count);
      }
      return el("button", {
        type: "button", "aria-pressed": String(this.filters.has(this.dimension, name)), title: named(name), "data-value": `key ${index}`,
        onclick: () => this.filters.toggle(this.dimension, name),
      }, swatch(this.history.colour(this.dimension, name)), el("bdi", { class: `name${name === null ? " none-name" : ""}` }, this.nameOf(name)), count);
    });
    const missing = this.history.raw.withoutTime?.[ROW.transactions];
    replace(this.legend, keys, missing ? el("span", { class: "key quiet" }, `${plural(missing, "transaction")} without a usable time: in no bar`) : null);
  }

  // The name of a series; the names that have none of their own together are undefined.
  nameOf(name) {
    if (name === undefined) return "others";
    return this.dimension === "kind" ? name ?? "other" : named(name);
  }

  // A bar in words: for the tip, and for screen readers.
  describe(bar) {
    const { level, starts } = this.layout;
    const items = [];
    this.counted.counts.forEach((series, index) => {
      if (series[bar] === 0) return;
      const name = this.counted.names[index];
      const colour = name === undefined ? "other" : this.history.colour(this.dimension, name);
      items.push([colour, this.nameOf(name), number(series[bar]), series[bar]]);
    });
    items.sort((a, b) => b[3] - a[3]);
    const totals = this.counted.totals;
    return {
      title: clock.period(starts[bar], level), items: items.slice(0, 9),
      note: totals.transactions[bar] === 0 ? "no transactions" : `${plural(totals.transactions[bar], "transaction")}, ${plural(totals.changes[bar], "change")}`,
    };
  }

  barAt(x) {
    const bar = Math.floor((x - this.margins.left) / this.step);
    return Math.max(0, Math.min(this.layout.starts.length - 1, bar));
  }

  rangeOf(first, last) {
    const { starts, end } = this.layout;
    return [starts[first], last + 1 < starts.length ? starts[last + 1] : end];
  }

  pick(bar) {
    const range = this.rangeOf(bar, bar);
    const { range: old } = this.filters;
    this.filters.setRange((old && old[0] === range[0] && old[1] === range[1]) || this.counted.totals.transactions[bar] === 0 ? null : range);
  }

  listen() {
    const { plot } = this;
    let from = null;
    let dragged = false;
    const place = (rect, first, last) => {
      rect.setAttribute("x", this.margins.left + first * this.step);
      rect.setAttribute("width", (last - first + 1) * this.step);
      rect.setAttribute("visibility", "visible");
    };
    const x = (event) => event.clientX - plot.getBoundingClientRect().left;
    plot.addEventListener("pointerdown", (event) => {
      if (!this.layout || event.button !== 0) return;
      from = x(event);
      dragged = false;
      plot.setPointerCapture(event.pointerId);
    });
    plot.addEventListener("pointermove", (event) => {
      if (!this.layout) return;
      const bar = this.barAt(x(event));
      if (from !== null && Math.abs(x(event) - from) > 5) dragged = true;
      if (from !== null && dragged) {
        const [first, last] = [this.barAt(from), bar].sort((a, b) => a - b);
        place(this.band, first, last);
        this.hover.setAttribute("visibility", "hidden");
        tip.show(event, clock.range(...this.rangeOf(first, last)), [], "release to zoom");
        return;
      }
      place(this.hover, bar, bar);
      const { title, items, note } = this.describe(bar);
      tip.show(event, title, items, note);
    });
    plot.addEventListener("pointerleave", () => this.hover?.setAttribute("visibility", "hidden"));
    plot.addEventListener("pointercancel", () => {
      from = null;
      this.band?.setAttribute("visibility", "hidden");
    });
    plot.addEventListener("pointerup", (event) => {
      if (from === null || !this.layout) return;
      const [first, last] = [this.barAt(from), this.barAt(x(event))].sort((a, b) => a - b);
      from = null;
      if (!dragged) {
        this.cursor = first;
        this.pick(first);
        return;
      }
      const range = this.rangeOf(first, last);
      this.setView(range);
      this.filters.setRange(range);
    });
    plot.addEventListener("keydown", (event) => this.press(event));
    plot.addEventListener("focus", () => this.placeCursor());
    plot.addEventListener("blur", () => this.ring?.setAttribute("visibility", "hidden"));
  }

  press(event) {
    if (!this.layout || event.ctrlKey || event.metaKey || event.altKey) return;
    const last = this.layout.starts.length - 1;
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step && event.shiftKey) this.pan(step);
    else if (step) this.move(this.cursor < 0 ? (step > 0 ? 0 : last) : this.cursor + step);
    else if (event.key === "Home") this.move(0);
    else if (event.key === "End") this.move(last);
    else if ((event.key === "Enter" || event.key === " ") && this.cursor >= 0) this.pick(this.cursor);
    else if (event.key === "+" || event.key === "=") this.zoom(0.5);
    else if (event.key === "-") this.zoom(2);
    else if (event.key === "0" || event.key === "Escape") this.showAll();
    else return;
    event.preventDefault();
  }

  move(bar) {
    this.cursor = Math.max(0, Math.min(this.layout.starts.length - 1, bar));
    this.placeCursor();
    const { title, items, note } = this.describe(this.cursor);
    tip.show(this.ring, title, items, note);
    say(`${title}: ${note}${items.map(([, name, count]) => `, ${name} ${count}`).join("")}`);
  }

  placeCursor() {
    if (!this.ring) return;
    const shown = this.cursor >= 0 && document.activeElement === this.plot;
    this.ring.setAttribute("visibility", shown ? "visible" : "hidden");
    this.ring.setAttribute("x", this.margins.left + Math.max(0, this.cursor) * this.step);
  }

  table() {
    const layout = this.layOut();
    if (!layout) return { headings: [], rows: [] };
    const { names, counts, totals } = this.count(layout);
    const rows = layout.starts.map((start, bar) => [clock.period(start, layout.level), number(totals.transactions[bar]),
      number(totals.changes[bar]), ...counts.map((series) => number(series[bar]))]).filter((_, bar) => totals.transactions[bar] > 0);
    return {
      headings: ["Time", "Transactions", "Changes", ...names.map((name) => this.nameOf(name))],
      rows,
    };
  }
}

// heatmap.js
// When in the week a history was busy: a cell for each hour of each weekday.

class HeatMap extends Chart {
  constructor(history, filters) {
    super("heat", "Busy hours", "Arrow keys move between the hours of the week, Enter filters the transactions.");
    this.history = history;
    this.filters = filters;
    this.cursor = -1;
    this.legend.className = "scale";
    this.listen();
  }

  // Of transactions, in the time zone of the page where bins are an hour long.
  get counts() {
    const { history } = this;
    const { bins, binHours, raw } = history;
    if (binHours !== 1) return raw.heat?.transactions ?? new Array(168).fill(0);
    const counts = new Array(168).fill(0);
    bins.start.forEach((start, bin) => {
      const parts = clock.parts(start);
      counts[((parts[6] + 6) % 7) * 24 + parts[3]] += bins.transactions[bin];
    });
    return counts;
  }

  // Of a cell with this share of the most. The root keeps small counts visible.
  static opacity(share) { return share > 0 ? (0.14 + 0.86 * Math.sqrt(share)).toFixed(3) : null; }

  draw() {
    const counts = (this.cells = this.counts);
    const most = Math.max(...counts);
    const { width } = this;
    const [left, right, top] = [34, width < 420 ? 0 : 44, 18];
    const wide = (width - left - right) / 24;
    const tall = Math.max(18, Math.min(26, wide));
    Object.assign(this, { left, top, wide, tall });
    const parts = [];
    for (let hour = 0; hour < 24; hour += 3) {
      parts.push(svg("text", { x: left + hour * wide + 1, y: 11 }, two(hour)));
    }
    for (let day = 0; day < 7; day += 1) {
      const middle = top + day * tall + tall / 2 + 4;
      parts.push(svg("text", { x: left - 8, y: middle, "text-anchor": "end" }, WEEKDAYS[day]));
      const sum = counts.slice(day * 24, day * 24 + 24).reduce((total, count) => total + count, 0);
      if (right) parts.push(svg("text", { x: width, y: middle, "text-anchor": "end" }, compact(sum)));
      for (let hour = 0; hour < 24; hour += 1) {
        const slot = day * 24 + hour;
        const count = counts[slot];
        parts.push(svg("rect", {
          class: count === 0 ? "cell zero" : "cell",
          x: left + hour * wide + 1, y: top + day * tall + 1, width: wide - 2, height: tall - 2, rx: 2.5,
          "fill-opacity": HeatMap.opacity(count / most), "data-slot": slot,
        }));
      }
    }
    this.ring = svg("rect", { class: "cursor", width: wide, height: tall, rx: 3, visibility: "hidden" });
    parts.push(this.ring);
    const height = top + 7 * tall + 2;
    this.plot.replaceChildren(svg("svg", { viewBox: `0 0 ${width} ${height}`, height, "aria-hidden": "true" }, parts));
    this.mark();
    const scale = [0, 0.25, 0.5, 0.75, 1].map((share, at) =>
      svg("rect", { class: share === 0 ? "cell zero" : "cell", x: at * 22, width: 20, height: 10, rx: 2, "fill-opacity": HeatMap.opacity(share) }));
    this.legend.replaceChildren(el("span", {}, "0"), svg("svg", { viewBox: "0 0 110 10", "aria-hidden": "true" }, scale),
      el("span", {}, plural(most, "save")), el("span", {}, `\u00b7 times in ${clock.zone}`));
    this.placeCursor();
  }

  // Shows which hour the filters have chosen.
  mark() {
    for (const cell of this.plot.querySelectorAll(".cell")) {
      const isPicked = Number(cell.dataset.slot) === this.filters.slot;
      cell.classList.toggle("picked", isPicked);
      cell.classList.toggle("dim", this.filters.slot !== null && !isPicked);
    }
  }

  title(slot) { return `${WEEKDAYS[Math.floor(slot / 24)]} ${two(slot % 24)}:00\u2013${two(((slot % 24) + 1) % 24)}:00`; }

  slotAt(event) {
    const box = this.plot.getBoundingClientRect();
    const [hour, day] = [Math.floor((event.clientX - box.left - this.left) / this.wide), Math.floor((event.clientY - box.top - this.top) / this.tall)];
    return hour < 0 || hour > 23 || day < 0 || day > 6 ? -1 : day * 24 + hour;
  }

  listen() {
    const { plot } = this;
    plot.addEventListener("pointermove", (event) => {
      const slot = this.slotAt(event);
      if (slot < 0) tip.hide();
      else tip.show(event, this.title(slot), [], plural(this.cells[slot], "save"));
    });
    plot.addEventListener("click", (event) => {
      const slot = this.slotAt(event);
      if (slot >= 0 && (this.cells[slot] > 0 || this.filters.slot === slot)) this.filters.toggleSlot(slot);
    });
    plot.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 24, ArrowUp: -24 }[event.key];
      if (step) {
        this.cursor = this.cursor < 0 ? 0 : Math.max(0, Math.min(167, this.cursor + step));
        this.placeCursor();
        const note = plural(this.cells[this.cursor], "save");
        tip.show(this.ring, this.title(this.cursor), [], note);
        say(`${this.title(this.cursor)}: ${note}`);
      } else if ((event.key === "Enter" || event.key === " ") && this.cursor >= 0) this.filters.toggleSlot(this.cursor);
      else return;
      event.preventDefault();
    });
    plot.addEventListener("focus", () => this.placeCursor());
    plot.addEventListener("blur", () => this.ring?.setAttribute("visibility", "hidden"));
  }

  placeCursor() {
    const shown = this.cursor >= 0 && document.activeElement === this.plot;
    this.ring.setAttribute("visibility", shown ? "visible" : "hidden");
    this.ring.setAttribute("x", this.left + (Math.max(0, this.cursor) % 24) * this.wide);
    this.ring.setAttribute("y", this.top + Math.floor(Math.max(0, this.cursor) / 24) * this.tall);
  }

  table() {
    const counts = this.counts;
    return {
      headings: ["Hour", ...WEEKDAYS],
      rows: Array.from({ length: 24 }, (_, hour) => [`${two(hour)}:00`, ...WEEKDAYS.map((_, day) => number(counts[day * 24 + hour]))]),
    };
  }
}

// growth.js
// How many bytes the history takes, and what it will take at the present rate.

class Growth extends Chart {
  constructor(history) {
    super("growth", "Growth", "Left and right arrow keys move in time.");
    this.history = history;
    this.cursor = -1;
    this.legend.className = "facts";
    this.plot.addEventListener("pointermove", (event) => this.point(event));
    this.plot.addEventListener("pointerleave", () => this.place(-1));
    this.plot.addEventListener("blur", () => this.place(-1));
    this.plot.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step || !this.points?.length) return;
      event.preventDefault();
      const far = Math.max(1, Math.round(this.points.length / 60));
      this.place(Math.max(0, Math.min(this.points.length - 1, this.cursor < 0 ? this.points.length - 1 : this.cursor + step * far)));
      const [time, sum] = this.points[this.cursor];
      tip.show(this.dot, clock.shortDate(time), [], this.amount(sum));
      say(`${clock.shortDate(time)}: ${this.amount(sum)}`);
    });
  }

  // Archives and exported lines have no size of their own: their growth is that of their changes.
  get hasBytes() { return this.history.bins.bytes !== null; }
  get daily() { return (this.hasBytes ? this.history.raw.bytesPerDay : this.history.raw.rates?.total?.changesPerDay) ?? 0; }
  amount(sum) { return this.hasBytes ? bytes(sum) : plural(Math.round(sum), "change"); }

  // The sum after every bin.
  get sums() {
    const { bins } = this.history;
    const counts = bins.bytes ?? bins.changes;
    let sum = 0;
    return bins.start.map((start, bin) => [start, (sum += counts[bin])]);
  }

  draw() {
    const { history, width } = this;
    const span = history.span;
    this.heading.textContent = this.hasBytes ? "Growth" : "Growth in changes";
    if (!span) {
      this.points = null;
      this.plot.replaceChildren(el("p", { class: "empty" }, history.isEmpty ? "This history has no transactions." : "No transaction has a usable time."));
      this.showFacts();
      return;
    }
    const all = this.sums;
    // One point for each pixel is enough.
    const points = [[span[0], 0]];
    let column = -1;
    for (const point of all) {
      const place = Math.floor(((point[0] - span[0]) / (span[1] - span[0])) * width);
      if (place === column && points.length > 1) points[points.length - 1] = point;
      else points.push(point);
      column = place;
    }
    points.push([span[1], all[all.length - 1][1]]);
    this.points = points;
    const total = all[all.length - 1][1];
    const { daily } = this;
    const grows = daily > 0;
    const ahead = grows ? (span[1] - span[0]) * 0.25 : 0;
    const later = total + (daily * ahead) / (24 * HOUR);
    const end = span[1] + ahead;
    const [left, right, top, bottom, height] = [58, 10, 8, 22, 186];
    const most = Math.max(total, Math.min(later, total * 3), 1);
    const marks = ticks(most, 4, this.hasBytes ? 2 : 10);
    const x = (time) => left + ((time - span[0]) / (end - span[0])) * (width - left - right);
    const y = (sum) => height - bottom - (sum / most) * (height - top - bottom);
    Object.assign(this, { x, y });
    const parts = marks.map((value) => svg("g", {},
      svg("line", { class: value === 0 ? "axis" : "grid", x1: left, x2: width - right, y1: y(value), y2: y(value) }),
      svg("text", { x: left - 8, y: y(value) + 4, "text-anchor": "end" }, this.hasBytes ? bytes(value).replace(".0 ", " ") : compact(value))));
    const at = ([time, sum]) => `${x(time).toFixed(1)} ${y(sum).toFixed(1)}`;
    // What is written stays until the next save: a line of steps.
    let line = `M${at(points[0])}`;
    for (let index = 1; index < points.length; index += 1) line += `H${x(points[index][0]).toFixed(1)}V${y(points[index][1]).toFixed(1)}`;
    parts.push(svg("path", { class: "grow-area", d: `${line}V${y(0)}H${x(span[0]).toFixed(1)}z` }), svg("path", { class: "grow-line", d: line }));
    if (grows) {
      const shown = Math.min(later, total * 3);
      const until = span[1] + ahead * ((shown - total) / (later - total || 1));
      parts.push(svg("path", { class: "grow-next", d: `M${at([span[1], total])}L${at([until, shown])}` }));
      parts.push(svg("line", { class: "grid", x1: x(span[1]), x2: x(span[1]), y1: top, y2: height - bottom }));
    }
    const dates = [[span[0], "start"], ...(grows && x(end) - x(span[1]) > 84 && x(span[1]) - left > 170 ? [[span[1], "end"]] : []), [end, "end"]];
    if (clock.shortDate(dates[dates.length - 1][0]) === clock.shortDate(dates[dates.length - 2][0])) dates.pop();
    for (const [time, anchor] of dates) {
      parts.push(svg("text", { x: x(time), y: height - 5, "text-anchor": anchor }, clock.shortDate(time)));
    }
    this.dot = svg("circle", { class: "grow-dot", r: 4.5, cx: x(span[1]), cy: y(total) });
    parts.push(this.dot);
    this.plot.replaceChildren(svg("svg", { viewBox: `0 0 ${width} ${height}`, height, "aria-hidden": "true" }, parts));
    this.showFacts();
  }

  place(index) {
    this.cursor = index;
    if (!this.points || !this.dot) return;
    const [time, sum] = this.points[index < 0 ? this.points.length - 1 : index];
    this.dot.setAttribute("cx", this.x(time));
    this.dot.setAttribute("cy", this.y(sum));
  }

  point(event) {
    if (!this.points) return;
    const place = event.clientX - this.plot.getBoundingClientRect().left;
    let index = this.points.findIndex(([time]) => this.x(time) > place) - 1;
    if (index === -2) {
      const [end, daily] = [this.history.span[1], this.daily];
      if (daily > 0 && place > this.x(end) + 4) {
        const span = this.history.span;
        const time = span[0] + ((place - this.x(span[0])) / (this.x(end) - this.x(span[0]))) * (end - span[0]);
        this.place(-1);
        const sum = this.points[this.points.length - 1][1] + (daily * (time - end)) / (24 * HOUR);
        tip.show(event, clock.shortDate(time), [], `about ${this.amount(sum)} at the present rate`);
        return;
      }
      index = this.points.length - 1;
    }
    this.place(Math.max(0, index));
    tip.show(event, clock.shortDate(this.points[this.cursor][0]), [], this.amount(this.points[this.cursor][1]));
  }

  showFacts() {
    const { raw, isEmpty } = this.history;
    if (isEmpty) return;
    const facts = [];
    const daily = (label, one) => one && facts.push(el("span", {}, label, " ",
      el("b", {}, this.hasBytes && typeof one.bytesPerDay === "number" ? bytes(one.bytesPerDay) : `${rate(one.changesPerDay)} changes`), " a day"));
    daily("All time", raw.rates?.total);
    daily("Last 30 days", raw.rates?.last30Days);
    daily("Last 7 days", raw.rates?.last7Days);
    for (const { size, state, days } of raw.forecast ?? []) {
      if (state === "ahead") {
        const date = typeof report.made.at === "number" && days < 36525 ? ` (${clock.shortDate(report.made.at / 1000 + days * 24 * HOUR)})` : "";
        facts.push(el("span", {}, el("b", {}, bytes(size)), days > 36525 ? " in more than 100 years" : ` in ${duration(days)}${date}`));
      } else if (state === "never") facts.push(el("span", {}, el("b", {}, bytes(size)), " never, at this rate"));
    }
    this.legend.replaceChildren(...facts);
  }

  table() {
    const days = new Map();
    for (const [time, sum] of this.sums) days.set(clock.floor(time, "day"), sum);
    return { headings: ["Day", this.hasBytes ? "Size" : "Changes"], rows: [...days].map(([day, sum]) => [clock.shortDate(day), this.amount(sum)]) };
  }
}

// ranks.js
// The most active entities, attributes and authors. A click filters the transactions.

const RANKS = { author: "Authors", bundle: "Bundles", process: "Processes", entity: "Entities", attribute: "Attributes" };

class Rank {
  // Shows one of several dimensions, the first of them at the beginning.
  constructor(history, filters, dimensions) {
    this.history = history;
    this.filters = filters;
    this.dimensions = dimensions;
    this.dimension = dimensions[0];
    this.heading = el("h2", {}, RANKS[this.dimension]);
    this.controls = el("span", { class: "switches" });
    this.list = el("div", { class: "ranks", role: "group" });
    this.cut = el("p", { class: "cut" });
    this.element = el("section", { class: `panel rank rank-${dimensions[0]}` },
      el("header", {}, this.heading, el("span", { class: "spacer" }), this.controls), this.list, this.cut);
    this.list.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const buttons = [...this.list.children];
      const at = buttons.indexOf(document.activeElement);
      if (!step || at < 0) return;
      event.preventDefault();
      buttons[Math.max(0, Math.min(buttons.length - 1, at + step))].focus();
    });
    this.redraw();
  }

  // Rows of name, shown name, what it belongs to, count, parts of the bar, and words for the tip.
  get rows() {
    const { dimension, history } = this;
    const rows = history.raw.ranks?.[dimension]?.rows ?? [];
    if (dimension === "attribute") {
      return rows.map(([entity, attribute, updates]) => ({
        name: joinAttribute(entity, attribute), shown: attribute, of: entity, count: updates, parts: [["update", updates]],
        words: plural(updates, "update"),
      }));
    }
    return rows.map(([name, ...row]) => {
      const kinds = ["inserts", "updates", "deletes"].map((kind) => `${number(row[ROW[kind]])} ${kind}`).join(", ");
      const size = typeof row[ROW.bytes] === "number" ? `, ${bytes(row[ROW.bytes])}` : "";
      const words = `${plural(row[ROW.transactions], "transaction")}, ${plural(row[ROW.changes], "change")}: ${kinds}${size}`;
      if (dimension === "entity") {
        return {
          name, shown: name, count: row[ROW.changes], words,
          parts: [["insert", row[ROW.inserts]], ["update", row[ROW.updates]], ["delete", row[ROW.deletes]], ["other", row[ROW.others]]],
        };
      }
      return { name, shown: name, count: row[ROW.transactions], words, parts: [[history.colour(dimension, name), row[ROW.transactions]]] };
    });
  }

  redraw() {
    const { dimension, filters, rows } = this;
    this.shown = rows;
    this.heading.textContent = RANKS[dimension];
    this.list.setAttribute("aria-label", RANKS[dimension]);
    if (this.dimensions.length > 1) {
      replace(this.controls, choice("Rank", this.dimensions.map((one) => [one, RANKS[one]]), dimension, (value) => {
        this.dimension = value;
        this.redraw();
      }));
    } else {
      this.controls.replaceChildren(el("span", { class: "quiet small" }, dimension === "attribute" ? "by updates" : "by changes"));
    }
    const most = Math.max(1, ...rows.map((row) => row.count));
    const none = dimension === "attribute" && !this.history.isEmpty ? "No update names its attributes." : "None.";
    replace(this.list, rows.length === 0 ? el("p", { class: "empty" }, none) : rows.map((row, index) => {
      let x = 0;
      return el("button", {
        type: "button", "aria-pressed": "false", "data-value": `row ${index}`,
        title: `${row.of ? `${oneLine(row.of)}.` : ""}${named(row.shown)}: ${row.words}`, onclick: () => filters.toggle(dimension, row.name),
      }, el("span", { class: "name" }, row.of ? el("span", { class: "of" }, el("bdi", {}, oneLine(row.of)), ".") : null,
        el("bdi", { class: row.shown === null && "none-name" }, named(row.shown))),
      el("span", { class: "count" }, number(row.count)),
      svg("svg", { viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": "true" }, row.parts.map(([colour, count]) => {
        const part = svg("rect", { class: `f${colour}`, x, width: (count / most) * 100, height: 4 });
        x += (count / most) * 100;
        return part;
      })));
    }));
    this.mark();
    this.cut.textContent = this.more();
  }

  // Shows which name the filters have chosen.
  mark() {
    this.shown.forEach((row, index) => {
      this.list.children[index].setAttribute("aria-pressed", String(this.filters.has(this.dimension, row.name)));
    });
  }

  more() {
    const more = this.history.raw.ranks?.[this.dimension]?.more;
    if (!more) return "";
    const count = typeof more.count === "number" ? `${number(more.count)} more` : "Many more";
    const of = more.updates !== undefined ? plural(more.updates, "update")
      : more.row ? (this.dimension === "entity" ? plural(more.row[ROW.changes], "change") : plural(more.row[ROW.transactions], "transaction")) : null;
    return of ? `${count}, with ${of} together` : count;
  }
}

// changes.js
// One transaction with its changes, and the values of a change.

const FIRST_CHANGES = 100;

function valueOf(view, value) {
  if (value !== null && typeof value === "object" && "$object" in value) return objectLink(view, value.$object);
  const { text, type, note } = valueText(value);
  const className = { data: "v mono", none: "type" }[type] ?? "v";
  return el("span", {}, el("bdi", { class: className }, text), note ? el("span", { class: "type" }, ` (${note})`) : null);
}

// Rows of attribute and value, of a tombstone or of what an update set.
function valuesTable(label, rows) {
  return el("table", { class: "values", "aria-label": label }, el("tbody", {}, rows.map(([attribute, ...cells]) =>
    el("tr", {}, el("th", { scope: "row" }, own(attribute)), el("td", {}, cells)))));
}

const arrow = () => el("span", { class: "to", "aria-label": "to" }, "\u2192");

// What a change did: its kind, its object, its attributes and values.
function changeParts(view, change) {
  const { history } = view;
  const tombstone = change[CHANGE.tombstone] ?? [];
  const values = change[CHANGE.values] ?? [];
  const known = new Set();
  const rows = [];
  for (let at = 0; at < values.length; at += 2) {
    const attribute = history.text(values[at]);
    const pair = values[at + 1];
    known.add(attribute);
    if ("old" in pair && "new" in pair && JSON.stringify(pair.old) === JSON.stringify(pair.new)) {
      rows.push([attribute, valueOf(view, pair.new), el("span", { class: "type" }, " (set, unchanged)")]);
      continue;
    }
    const old = "old" in pair ? el("span", { class: "old" }, valueOf(view, pair.old)) : null;
    const now = "new" in pair ? valueOf(view, pair.new) : el("span", { class: "type" }, "not known");
    rows.push([attribute, old, old ? arrow() : null, now]);
  }
  const attributes = history.attributes(change).filter((attribute) => !known.has(attribute));
  const entity = history.entity(change[CHANGE.entity]);
  const gone = [];
  for (let at = 0; at < tombstone.length; at += 2) gone.push([history.text(tombstone[at]), valueOf(view, tombstone[at + 1])]);
  return [
    rows.length ? valuesTable("values", rows) : null,
    attributes.length ? el("div", { class: "names" }, attributes.map((attribute) => attributeName(view, entity, attribute))) : null,
    gone.length ? valuesTable("tombstone", gone) : null,
    change[CHANGE.tombstone] && gone.length === 0 ? el("p", { class: "aside" }, "The tombstone preserved no values.") : null,
    change[CHANGE.source] === "log" ? el("p", { class: "aside" }, "Values read from the store\u2019s log.") : null,
  ];
}

function attributeName(view, entity, attribute) {
  if (entity === null) return el("span", {}, own(attribute));
  const choose = () => view.filters.toggle("attribute", joinAttribute(entity, attribute));
  return el("button", { type: "button", title: "Show the updates of this attribute", onclick: choose }, own(attribute));
}

const mark = (kind) => el("span", { class: `mark t${KINDS[kind] ?? "other"}`, "aria-hidden": "true" }, MARKS[kind] ?? "?");

// Part of a long list, and a button that shows more of it.
function some(items, first, make) {
  const box = el("div", {});
  let shown = 0;
  const show = (count) => {
    box.append(...items.slice(shown, shown + count).map(make));
    shown = Math.min(items.length, shown + count);
    more.hidden = shown === items.length;
    more.textContent = `Show ${number(Math.min(500, items.length - shown))} more of ${number(items.length)}`;
  };
  const more = button("", () => show(500), { class: "button more" });
  show(first);
  return [box, more];
}

function transactionView(view, index) {
  const { history } = view;
  const tx = history.transactions[index];
  const changes = tx[TX.changes];
  const who = (dimension) => {
    const name = history.text(tx[TX[dimension]]);
    const title = `Show the transactions of this ${dimension}`;
    const choose = () => view.filters.toggle(dimension, name);
    return el("dd", {}, el("button", { type: "button", class: "link", title, onclick: choose }, el("bdi", {}, named(name))));
  };
  const step = (label, text, to) => button(text, () => view.open({ tx: history.transactions[to][TX.number] }), {
    class: "button square", "aria-label": label, title: label, disabled: to < 0 || to >= history.transactions.length, "data-focus": label,
  });
  const left = tx[TX.total] - changes.length;
  const context = history.text(tx[TX.context]);
  return [
    el("div", { class: "title" }, el("h2", { tabindex: -1 }, `Transaction ${tx[TX.number]}`),
      step("Older transaction", "\u2193", view.list.beside(index, 1)), step("Newer transaction", "\u2191", view.list.beside(index, -1)), closeButton(view)),
    el("dl", { class: "pairs" },
      el("dt", {}, "time"), el("dd", {}, moment(tx[TX.time]), el("span", { class: "quiet" }, typeof tx[TX.time] === "number" ? ` ${clock.zone}` : "")),
      el("dt", {}, "author"), who("author"), el("dt", {}, "process"), who("process"), el("dt", {}, "bundle"), who("bundle"),
      context === null ? null : [el("dt", {}, "context"), el("dd", {}, own(context))],
      history.raw.store ? [el("dt", {}, "token"), el("dd", { class: "mono" }, own(`${history.raw.store}:${tx[TX.number]}`))] : null),
    el("h3", {}, plural(tx[TX.total], "change")),
    some(changes, FIRST_CHANGES, (change) => el("div", { class: "change" },
      el("div", { class: "top" }, mark(change[CHANGE.kind]), objectLink(view, history.objectName(change)),
        el("span", { class: "kind" }, KINDS[change[CHANGE.kind]] ?? "other")),
      changeParts(view, change))),
    left > 0 ? el("p", { class: "cut" },
      `This report leaves out ${plural(left, "change")} of this transaction. histctl show ${tx[TX.number]} lists all.`) : null,
  ];
}

const objectLink = (view, name) => el("button", { type: "button", class: "link", "data-object": name, onclick: () => view.open({ object: name }) }, own(name));
const transactionLink = (view, number) => el("button", { type: "button", class: "link mono", onclick: () => view.open({ tx: number }) }, `#${number}`);
const closeButton = (view) => button("\u00d7", () => view.open({}), { class: "button square", "aria-label": "Close", title: "Close", "data-focus": "close" });

// objects.js
// The life of one object: its changes as a line in time, its values, and related objects.

const MOST_RELATED = 12;

// Objects that were changed in the same transactions, the most frequent first.
function relatedObjects(history, life) {
  const counts = new Map();
  for (const index of new Set(life.changes.map(([index]) => index))) {
    const seen = new Set();
    for (const change of history.transactions[index][TX.changes].slice(0, 500)) {
      const name = history.objectName(change);
      if (name === life.name || seen.has(name)) continue;
      seen.add(name);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return [...counts].sort((a, b) => b[1] - a[1]);
}

// What is known of the values after the newest change, by attribute: the value and its transaction.
function knownValues(history, life) {
  const known = new Map();
  for (const [index, change] of life.changes) {
    const number = history.transactions[index][TX.number];
    for (const attribute of history.attributes(change)) known.set(attribute, { number });
    const values = change[CHANGE.values] ?? [];
    for (let at = 0; at < values.length; at += 2) known.set(history.text(values[at]), { number, value: values[at + 1].new });
    const tombstone = change[CHANGE.tombstone] ?? [];
    for (let at = 0; at < tombstone.length; at += 2) known.set(history.text(tombstone[at]), { number, value: tombstone[at + 1] });
  }
  return [...known];
}

// A dot for each change, at its time.
function lifeLine(view, life) {
  const { history } = view;
  const width = 600;
  const times = life.changes.map(([index]) => milliseconds(history.transactions[index][TX.time]));
  const usable = times.filter((time) => time !== null);
  if (usable.length === 0) return null;
  const [first, last] = [usable.reduce((a, b) => Math.min(a, b)), usable.reduce((a, b) => Math.max(a, b))];
  const x = (time) => (last === first ? width / 2 : 10 + ((time - first) / (last - first)) * (width - 20));
  // Dots that would cover each other stand in a pile, of at most four.
  const piles = [];
  const dots = life.changes.slice(-400).map(([index, change], at, all) => {
    const time = times[life.changes.length - all.length + at];
    if (time === null) return null;
    const tx = history.transactions[index];
    const pile = piles.find(([place, count]) => Math.abs(place - x(time)) < 11 && count < 4) ?? piles[piles.push([x(time), 0]) - 1];
    const kind = KINDS[change[CHANGE.kind]] ?? "other";
    const dot = svg("circle", { class: `life-dot f${kind}`, cx: pile[0].toFixed(1), cy: 50 - 12 * pile[1]++, r: 6 },
      svg("title", {}, `${kind}, ${moment(tx[TX.time])}, transaction ${tx[TX.number]}`));
    dot.addEventListener("click", () => view.open({ tx: tx[TX.number] }));
    return dot;
  });
  const top = 42 - 12 * Math.max(1, ...piles.map(([, count]) => count));
  const days = new Set(usable.map((time) => clock.date(time)));
  const label = `${plural(life.changes.length, "change")} between ${clock.shortDate(first)} and ${clock.shortDate(last)}`;
  const isMoment = last === first;
  const [from, to] = days.size === 1 ? [moment(first * 1000), clock.second(last)] : [clock.shortDate(first), clock.shortDate(last)];
  return el("div", { class: "plot life" }, svg("svg", { viewBox: `0 ${top} ${width} ${78 - top}`, role: "img", "aria-label": label },
    isMoment ? null : svg("line", { class: "life-line", x1: 10, x2: width - 10, y1: 50, y2: 50 }), dots,
    svg("text", { x: isMoment ? width / 2 : 4, y: 74, "text-anchor": isMoment ? "middle" : "start" }, from),
    isMoment ? null : svg("text", { x: width - 4, y: 74, "text-anchor": "end" }, to)));
}

function objectView(view, name) {
  const { history } = view;
  const life = history.objects.get(name);
  const title = (text) => el("div", { class: "title" }, el("h2", { tabindex: -1 }, own(text)), closeButton(view));
  const missing = history.leftOut("transactions") ? "this report lists the newest transactions only"
    : history.leftOut("changes") ? "this report does not list all changes of large transactions" : null;
  const cut = missing ? el("p", { class: "cut" }, `Changes of this object may be missing: ${missing}.`) : null;
  if (!life) return [title(name), el("p", { class: "soft section" }, "This report has no change of this object."), cut];
  const last = life.changes[life.changes.length - 1];
  const first = life.changes[0];
  const state = last[1][CHANGE.kind] === 2 ? "deleted" : first[1][CHANGE.kind] === 0 ? "exists" : "exists, inserted earlier";
  const values = knownValues(history, life);
  const related = relatedObjects(history, life);
  const kinds = KINDS.map((kind, at) => [kind, life.changes.filter(([, change]) => change[CHANGE.kind] === at).length])
    .filter(([, count]) => count > 0).map(([kind, count]) => plural(count, kind)).join(", ");
  const knownRow = ([attribute, { number, value }]) => [attribute,
    value === undefined ? el("span", { class: "type" }, "value not recorded, set") : valueOf(view, value),
    el("span", { class: "quiet" }, " in "), transactionLink(view, number)];
  return [
    title(name),
    el("dl", { class: "pairs" },
      el("dt", {}, "state"), el("dd", {}, state),
      el("dt", {}, "changes"), el("dd", {}, number(life.changes.length), el("span", { class: "quiet" }, ` (${kinds})`)),
      history.raw.store && life.key != null
        ? [el("dt", {}, "identifier"), el("dd", { class: "mono" }, own(`x-coredata://${history.raw.store}/${name}`))] : null),
    lifeLine(view, life),
    values.length ? el("div", { class: "section" }, el("h3", {}, "Attributes, as last recorded"), valuesTable("attributes", values.map(knownRow))) : null,
    related.length ? el("div", { class: "section" }, el("h3", {}, "Changed together with"), el("div", { class: "cards" },
      related.slice(0, MOST_RELATED).map(([other, times]) => objectCard(view, other, `${number(times)}\u00d7`)),
      related.length > MOST_RELATED ? el("span", { class: "quiet" }, `and ${number(related.length - MOST_RELATED)} more`) : null)) : null,
    el("div", { class: "section" }, el("h3", {}, "Changes, newest first"),
      some([...life.changes].reverse(), FIRST_CHANGES, ([index, change]) => {
        const tx = history.transactions[index];
        return el("div", { class: "change" },
          el("div", { class: "top" }, mark(change[CHANGE.kind]), transactionLink(view, tx[TX.number]),
            el("span", { class: "kind" }, KINDS[change[CHANGE.kind]] ?? "other", " by ", el("bdi", {}, named(history.text(tx[TX.author])))),
            el("span", { class: "when" }, moment(tx[TX.time]))),
          changeParts(view, change));
      })),
    cut,
  ];
}

// What the panel shows while nothing is open: a way to find an object.
function objectPicker(view) {
  const { history } = view;
  history.objects;
  const list = el("div", {});
  const results = () => {
    const query = input.value.trim().toLowerCase();
    const found = query === "" ? history.objectsByActivity : history.objectsByActivity.filter((life) => life.name.toLowerCase().includes(query));
    list.replaceChildren(el("h3", {}, found.length === 0 ? "No objects" : query === "" ? "Most changed objects" : plural(found.length, "object")),
      el("div", { class: "cards objects" }, found.slice(0, 40).map((life) => objectCard(view, life.name, number(life.changes.length)))),
      found.length > 40 ? el("p", { class: "cut" }, `and ${number(found.length - 40)} more`) : "");
  };
  const input = el("input", {
    type: "search", placeholder: `Find an object, such as ${exampleObject(history)}`, "aria-label": "Find an object",
    spellcheck: "false", autocomplete: "off", oninput: results,
    onkeydown: (event) => {
      if (event.key === "Enter") list.querySelector("[data-object]")?.click();
    },
  });
  results();
  return [
    el("div", { class: "title" }, el("h2", {}, "Objects")),
    el("p", { class: "soft section" }, "Choose a transaction to see its changes, or an object to see its life."),
    el("div", { class: "section search wide" }, searchIcon(), input),
    el("div", { class: "section" }, list),
  ];
}

function objectCard(view, name, count) {
  return el("button", { type: "button", "data-object": name, onclick: () => view.open({ object: name }) },
    own(name), el("span", { class: "count" }, count));
}

function exampleObject(history) {
  const busiest = history.objectsByActivity[0];
  return busiest ? oneLine(busiest.name) : "Trip/p7";
}

const searchIcon = () => svg("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" },
  svg("circle", { cx: 6, cy: 6, r: 4.5 }), svg("path", { d: "M9.5 9.5L13 13" }));

// transactions.js
// The list of transactions. Only the rows in view are elements.

class TransactionList {
  constructor(view) {
    this.view = view;
    this.history = view.history;
    this.filters = view.filters;
    this.at = -1;
    this.space = el("div", { class: "space", role: "presentation" });
    this.box = el("div", {
      class: "rows", tabindex: 0, role: "listbox", "aria-label": "Transactions, newest first",
      onscroll: () => this.later(), onkeydown: (event) => this.press(event),
      onclick: (event) => {
        const row = event.target.closest(".row");
        if (row) this.choose(Number(row.dataset.position));
      },
    }, this.space);
    new ResizeObserver(() => {
      this.box.classList.toggle("tight", this.box.clientWidth < 520);
      this.draw();
    }).observe(this.box);
  }

  get rowHeight() { return this.box.classList.contains("tight") ? 52 : 34; }

  // Shows the transactions that match now.
  update() {
    this.indexes = this.filters.indexes();
    const open = this.view.openIndex;
    this.at = open === null ? -1 : this.indexes.indexOf(open);
    this.box.scrollTop = 0;
    this.draw();
  }

  later() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  draw(all = false) {
    if (!this.indexes) return;
    const tall = this.rowHeight;
    // A short history needs a short list.
    this.box.style.maxHeight = `${Math.max(140, this.history.transactions.length * tall + 1)}px`;
    this.space.style.height = `${this.indexes.length * tall}px`;
    this.space.style.minHeight = "100%";
    const extra = 6;
    const first = all ? 0 : Math.max(0, Math.floor(this.box.scrollTop / tall) - extra);
    const end = all ? 200 : Math.ceil((this.box.scrollTop + this.box.clientHeight) / tall) + extra;
    const last = Math.min(this.indexes.length, end);
    if (this.indexes.length === 0) {
      this.space.replaceChildren(el("p", { class: "empty" }, this.history.isEmpty ? "This history has no transactions." : this.emptyReason()));
      return;
    }
    const rows = [];
    let day = first > 0 ? this.day(first - 1) : "";
    const top = Math.floor(this.box.scrollTop / tall);
    for (let position = first; position < last; position += 1) {
      const now = this.day(position);
      rows.push(this.row(position, tall, now === day && position !== top ? "" : now, position > 0 && now !== day));
      day = now;
    }
    this.space.replaceChildren(...rows);
    if (this.at >= first && this.at < last) this.box.setAttribute("aria-activedescendant", `row-${this.at}`);
    else this.box.removeAttribute("aria-activedescendant");
  }

  emptyReason() {
    const left = this.history.leftOut("transactions");
    return left ? "No transaction in this report matches. Older ones were left out." : "No transaction matches.";
  }

  day(position) {
    const time = milliseconds(this.history.transactions[this.indexes[position]][TX.time]);
    return time === null ? "no time" : clock.date(time);
  }

  row(position, tall, day, isNewDay) {
    const { history } = this;
    const index = this.indexes[position];
    const tx = history.transactions[index];
    const author = history.text(tx[TX.author]);
    const process = history.text(tx[TX.process]);
    const time = milliseconds(tx[TX.time]);
    const row = el("div", {
      class: `row${isNewDay ? " day" : ""}${index === this.view.openIndex ? " picked" : ""}${position === this.at ? " at" : ""}`,
      role: "option", id: `row-${position}`, "data-position": position, "data-tx": tx[TX.number],
      "aria-selected": String(index === this.view.openIndex), "aria-setsize": this.indexes.length, "aria-posinset": position + 1,
    },
    el("span", { class: "token" }, String(tx[TX.number])), el("span", { class: "date" }, day),
    el("span", { class: "time" }, time === null ? "" : clock.second(time)),
    el("span", { class: "who", title: `${named(author)}, ${named(process)}` }, swatch(history.colour("author", author)),
      el("bdi", { class: `name${author === null ? " none-name" : ""}` }, named(author))),
    el("span", { class: "what" }, this.summary(tx)));
    row.style.top = `${position * tall}px`;
    return row;
  }

  // Entities with the counts of their changes: "Trip +1 ~2".
  summary(tx) {
    const counts = new Map();
    for (const change of tx[TX.changes]) {
      const of = counts.get(change[CHANGE.entity]) ?? counts.set(change[CHANGE.entity], [0, 0, 0, 0]).get(change[CHANGE.entity]);
      of[change[CHANGE.kind]] += 1;
    }
    const parts = [...counts].slice(0, 8).map(([entity, kinds]) => el("span", { class: "one" },
      el("bdi", {}, oneLine(this.history.entity(entity) ?? "unknown entity")),
      kinds.map((count, kind) => (count ? el("span", { class: `t${KINDS[kind]}` }, `${MARKS[kind]}${number(count)}`) : null))));
    const left = tx[TX.total] - tx[TX.changes].length;
    if (left > 0) parts.push(el("span", { class: "one quiet" }, `${number(left)} more`));
    else if (tx[TX.total] === 0) parts.push(el("span", { class: "quiet" }, "no changes"));
    return parts;
  }

  press(event) {
    const page = Math.max(1, Math.floor(this.box.clientHeight / this.rowHeight) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key in steps) {
      event.preventDefault();
      this.move(Math.max(0, Math.min(this.indexes.length - 1, (this.at < 0 ? (steps[event.key] > 0 ? -1 : 0) : this.at) + steps[event.key])));
    } else if ((event.key === "Enter" || event.key === " ") && this.at >= 0) {
      event.preventDefault();
      this.choose(this.at);
    }
  }

  move(position) {
    if (this.indexes.length === 0) return;
    this.at = position;
    this.show(position);
    this.draw();
  }

  // Scrolls a row into view.
  show(position) {
    const tall = this.rowHeight;
    const { scrollTop, clientHeight } = this.box;
    if (position * tall < scrollTop) this.box.scrollTop = position * tall;
    else if ((position + 1) * tall > scrollTop + clientHeight) this.box.scrollTop = (position + 1) * tall - clientHeight;
  }

  // The transaction before or after another one, of those that match where it is one of them.
  beside(index, step) {
    const position = this.indexes.indexOf(index);
    return position < 0 ? index + step : this.indexes[position + step] ?? -1;
  }

  choose(position) {
    this.at = position;
    this.view.open({ tx: this.history.transactions[this.indexes[position]][TX.number] });
  }

  // Marks what is open, and scrolls to it where it is not in view.
  markOpen() {
    if (!this.indexes) return;
    const open = this.view.openIndex;
    if (open !== null) {
      const position = this.indexes.indexOf(open);
      if (position >= 0) {
        this.at = position;
        this.show(position);
      }
    }
    this.draw();
  }
}

// search.js
// The search field above the list, with offers of objects and transactions.

class Search {
  constructor(view) {
    this.view = view;
    this.offers = [];
    this.at = -1;
    this.input = el("input", {
      type: "search", placeholder: "Search names, objects, values", "aria-label": "Search transactions", spellcheck: "false", autocomplete: "off",
      role: "combobox", "aria-expanded": "false", "aria-controls": "offers", "aria-autocomplete": "list",
      oninput: () => this.typed(), onkeydown: (event) => this.press(event), onblur: () => setTimeout(() => this.hide(), 150),
    });
    this.list = el("ul", { class: "offers", id: "offers", role: "listbox", "aria-label": "Objects and transactions", hidden: true });
    this.element = el("div", { class: "search" }, searchIcon(), this.input, this.list);
    this.warm();
  }

  // Prepares what search looks through while nothing else is to do.
  warm() {
    const idle = window.requestIdleCallback ?? ((work) => setTimeout(() => work({ timeRemaining: () => 10 }), 30));
    const { history } = this.view;
    let index = 0;
    const work = (deadline) => {
      while (index < history.transactions.length && deadline.timeRemaining() > 2) history.haystack(index++);
      if (index < history.transactions.length) idle(work);
      else history.objects;
    };
    idle(work);
  }

  typed() {
    this.view.filters.setQuery(this.input.value);
    this.offer();
  }

  update() {
    if (this.input.value.trim() !== this.view.filters.query) this.input.value = this.view.filters.query;
  }

  offer() {
    const { history } = this.view;
    const query = this.input.value.trim().toLowerCase();
    this.offers = [];
    if (/^#?\d+$/.test(query) && history.byNumber.has(query.replace("#", ""))) {
      this.offers.push({ text: `Transaction ${query.replace("#", "")}`, open: { tx: query.replace("#", "") } });
    }
    if (query.length > 1) {
      history.objects;
      const found = history.objectsByActivity.filter((life) => life.name.toLowerCase().includes(query));
      // The object of that name before those that begin with it, and those before the others.
      const order = ({ name }) => (name.toLowerCase() === query ? 0 : name.toLowerCase().startsWith(query) ? 1 : 2);
      for (const life of found.sort((a, b) => order(a) - order(b)).slice(0, 8)) {
        this.offers.push({ text: life.name, note: plural(life.changes.length, "change"), open: { object: life.name } });
      }
    }
    this.at = -1;
    this.list.replaceChildren(...this.offers.map((offer, index) => el("li", {
      role: "option", id: `offer-${index}`, "aria-selected": "false",
      onpointerdown: (event) => {
        event.preventDefault();
        this.take(index);
      },
    }, own(offer.text), offer.note ? el("span", { class: "quiet" }, offer.note) : null)));
    this.list.hidden = this.offers.length === 0;
    this.input.setAttribute("aria-expanded", String(!this.list.hidden));
  }

  hide() {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  press(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && !this.list.hidden) {
      event.preventDefault();
      this.at = Math.max(-1, Math.min(this.offers.length - 1, this.at + step));
      [...this.list.children].forEach((item, index) => item.setAttribute("aria-selected", String(index === this.at)));
      if (this.at >= 0) this.input.setAttribute("aria-activedescendant", `offer-${this.at}`);
      else this.input.removeAttribute("aria-activedescendant");
    } else if (event.key === "Enter" && this.at >= 0) {
      event.preventDefault();
      this.take(this.at);
    } else if (event.key === "Escape" && !this.list.hidden) {
      event.preventDefault();
      this.hide();
    }
  }

  // Opens an offer; the text that led to it is no filter.
  take(index) {
    const { open } = this.offers[index];
    this.hide();
    this.view.filters.setQuery("");
    this.view.open(open);
  }
}

// head.js
// What a history is: its name, where it comes from, its counts, and what to know about it.

function figure(label, value, sub, isText) {
  return el("div", { class: "figure" }, el("dt", {}, label), el("dd", { class: isText && "text" }, value), sub ? el("dd", { class: "sub" }, sub) : null);
}

function head(view) {
  const { history } = view;
  const { raw, total } = history;
  const kinds = [["insert", ROW.inserts], ["update", ROW.updates], ["delete", ROW.deletes]];
  const sizes = raw.sizes ?? {};
  const others = [["store", "file"], ["log", "log"], ["free", "free"], ["archive", "archive"]]
    .filter(([name]) => typeof sizes[name] === "number" && (sizes[name] > 0 || name === "store"));
  const kindButton = ([kind, place]) => el("button", {
    type: "button", class: "kind-link", "aria-pressed": "false", "data-kind": kind, title: `Show the transactions with ${kind}s`,
    onclick: () => view.filters.toggle("kind", kind),
  }, el("b", { class: `t${kind}`, "aria-hidden": "true" }, MARKS[KINDS.indexOf(kind)]), number(total[place]), el("span", { class: "unseen" }, ` ${kind}s`));
  const fact = ([label, text]) =>
    el("div", {}, el("dt", { class: "inline quiet" }, own(label), " "), el("dd", { class: "inline" }, own(text)));
  const kept = total[ROW.bytes] ?? sizes.history;
  return el("div", { class: "head" },
    el("div", { class: "masthead" },
      histories.length > 1 ? el("p", { class: "crumb" }, el("a", { class: "link", href: "#" }, "\u2190 ", `${number(histories.length)} histories`)) : null,
      el("div", {},
        el("h1", {}, own(histories.length > 1 ? history.name : report.title)),
        el("p", { class: "where" }, el("span", { class: "mono" }, own(raw.path)), raw.store ? el("span", { class: "mono quiet" }, own(raw.store)) : null),
        el("dl", { class: "where" }, (raw.facts ?? []).filter(([, text]) => text !== "").map(fact))),
      madeBy()),
    el("dl", { class: "figures" },
      figure("Transactions", number(total[ROW.transactions]), numbersText(raw)),
      figure("Changes", number(total[ROW.changes]), total[ROW.changes] === 0 ? null : [
        kinds.map(kindButton),
        total[ROW.others] ? el("span", {}, `${number(total[ROW.others])} of other kinds`) : null]),
      raw.earliest != null ? figure("Span", spanText(raw), lengthText(raw), true) : null,
      typeof kept === "number" ? figure("History", bytes(kept), others.map(([name, label]) => el("span", {}, `${label} ${bytes(sizes[name])}`)))
        : others.length ? figure(others[0][0] === "archive" ? "Archive" : "File", bytes(sizes[others[0][0]])) : null,
      bookmarkFigure(raw.bookmarks)),
    notices(history));
}

function spanText(raw) {
  const [first, last] = [milliseconds(raw.earliest), milliseconds(raw.latest)];
  if (first === null || last === null) return `${moment(raw.earliest)} \u2013 ${moment(raw.latest)}`;
  const [from, to] = [clock.shortDate(first), clock.shortDate(last)];
  if (from === to) return from;
  const [a, b] = [from.split(" "), to.split(" ")];
  return `${a[2] === b[2] ? a.slice(0, 2).join(" ") : from} \u2013 ${to}`;
}

// How long a history is, and how busy where it is long enough for a rate.
function lengthText(raw) {
  const [first, last] = [milliseconds(raw.earliest), milliseconds(raw.latest)];
  if (first === null || last === null || last - first < 60e3) return null;
  const days = (last - first) / (24 * HOUR);
  const daily = raw.rates?.total && rate(raw.rates.total.transactionsPerDay);
  return `${duration(days)}${days >= 1 && daily ? `, ${daily} ${daily === "1" ? "save" : "saves"} a day` : ""}`;
}

function numbersText({ oldest, newest }) {
  if (!oldest || !newest) return null;
  return oldest.number === newest.number ? `number ${oldest.number}` : `${number(oldest.number)} to ${number(newest.number)}`;
}

function bookmarkFigure(bookmarks) {
  if (!bookmarks?.length) return null;
  const bad = bookmarks.filter((one) => !isGood(one)).length;
  return figure("Bookmarks", number(bookmarks.length), bad ? el("span", { class: "tdelete" }, `${number(bad)} not valid`) : "all valid");
}

function madeBy() {
  const { made } = report;
  return el("p", { class: "made" }, made.at != null ? [`Made ${moment(made.at)}`, el("br")] : null, "by ", own(made.by),
    report.filters?.length ? [el("br"), "Filters: ", el("span", { class: "mono" }, own(report.filters.join(" ")))] : null,
    zoneSwitch());
}

// The reader's time zone, where whole hours of UTC are whole hours there too.
function zoneSwitch() {
  if (!canBeLocal()) return [el("br"), "Times in UTC"];
  const local = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "Local";
  return [el("br"), choice("Time zone", [["local", local], ["utc", "UTC"]], clock.local ? "local" : "utc", (value) => {
    clock.local = value === "local";
    page.rebuild();
  })];
}

function canBeLocal() {
  if (histories.some((history) => history.binHours !== 1)) return false;
  const year = new Date().getFullYear();
  const offsets = [0, 6].map((month) => new Date(year, month, 1).getTimezoneOffset());
  return offsets.some((offset) => offset !== 0) && offsets.every((offset) => offset % 60 === 0);
}

const MOST_NOTICES = 6;

function notice(kind, title, text) {
  return el("li", { class: `notice ${kind}` }, title ? el("b", {}, title) : null, el("span", {}, text));
}

function notices(history) {
  const { raw } = history;
  const found = [];
  if (raw.problem) found.push(notice("bad", "Reading ended early.", own(raw.problem)));
  for (const one of raw.notices ?? []) found.push(notice(one.damage ? "bad" : "", one.damage ? "Damage:" : null, own(one.text)));
  for (const gap of raw.gaps ?? []) {
    found.push(notice("", "Gap:", `the transactions after ${number(gap.after)}${gap.oldest != null ? ` and before ${number(gap.oldest)}` : ""} are missing`));
  }
  const bookmarks = [...(raw.bookmarks ?? [])].sort((a, b) => isGood(a) - isGood(b));
  for (const one of bookmarks) {
    if (isGood(one) && !one.transactionsBehind) continue;
    found.push(notice(isGood(one) ? "note" : "bad", ["Bookmark ", own(one.name), ":"], isGood(one)
      ? `${plural(one.transactionsBehind, "transaction")} behind${one.unreadSince != null ? `, unread since ${moment(one.unreadSince)}` : ""}`
      : `${one.state}${one.transaction != null ? ` at ${number(one.transaction)}` : ""}`));
  }
  if (report.redacted) found.push(notice("note", "Redacted:", "values and tombstones were left out of this report"));
  for (const one of raw.leftOut ?? []) {
    // That of redaction is said once, above.
    if (one.kind === "redacted" && report.redacted) continue;
    found.push(notice("note", "Left out:", own(typeof one.count === "number" ? `${number(one.count)} ${one.text}` : one.text)));
  }
  if (found.length === 0) return null;
  const more = found.slice(MOST_NOTICES);
  const list = el("ul", { class: "notices", "aria-label": "Notices" }, found.slice(0, MOST_NOTICES));
  if (more.length) {
    list.append(el("li", {}, button(`Show ${number(more.length)} more`, (event) => event.target.parentElement.replaceWith(...more))));
  }
  return list;
}

// overview.js
// Several histories, one row each.

function sparkLine(history, from, to) {
  const [width, height] = [180, 28];
  const columns = 60;
  const counts = new Float64Array(columns);
  history.bins.start.forEach((start, bin) => {
    counts[Math.max(0, Math.min(columns - 1, Math.floor(((start - from) / (to - from)) * columns)))] += history.bins.transactions[bin];
  });
  const most = Math.max(1, ...counts);
  let path = "";
  counts.forEach((count, column) => {
    if (count === 0) return;
    const tall = Math.max(1.5, (count / most) * (height - 2));
    path += `M${column * 3} ${height - 1}v${(-tall).toFixed(1)}h2.2v${tall.toFixed(1)}z`;
  });
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "activity over time" },
    svg("line", { class: "axis", x1: 0, x2: width, y1: height - 0.5, y2: height - 0.5 }), svg("path", { class: "spark", d: path }));
}

const isGood = (bookmark) => bookmark.state === "valid" || bookmark.state === "archived";

function bookmarkState({ bookmarks }) {
  if (!bookmarks?.length) return el("span", { class: "quiet" }, "none");
  const bad = bookmarks.filter((one) => !isGood(one)).length;
  return bad ? el("span", { class: "tdelete" }, `${number(bad)} of ${number(bookmarks.length)} not valid`) : `${number(bookmarks.length)} valid`;
}

// What a row is sorted by: the name, a count, or the time of the newest save.
const SORTS = {
  Name: (history) => history.name.toLowerCase(),
  Transactions: (history) => -history.total[ROW.transactions],
  Changes: (history) => -history.total[ROW.changes],
  History: (history) => -(history.total[ROW.bytes] ?? -1),
  Span: (history) => -(milliseconds(history.raw.latest) ?? -Infinity),
  Bookmarks: (history) => -(history.raw.bookmarks ?? []).filter((one) => !isGood(one)).length,
};

class Overview {
  constructor() {
    const spans = histories.map((history) => history.span).filter(Boolean);
    this.span = spans.length ? [Math.min(...spans.map((span) => span[0])), Math.max(...spans.map((span) => span[1]))] : null;
    // On one axis only where no history would be a mere dot on it.
    this.isShared = spans.every((span) => span[1] - span[0] > (this.span[1] - this.span[0]) / 8);
    this.sortedBy = null;
    this.headings = el("tr", {});
    this.rows = el("tbody", {});
    const sum = (place) => histories.reduce((total, history) => total + (history.total[place] ?? 0), 0);
    this.element = el("div", { class: "wrap" },
      el("div", { class: "masthead" },
        el("div", {}, el("h1", {}, own(report.title)), el("p", { class: "where" }, `${number(histories.length)} histories`)), madeBy()),
      el("dl", { class: "figures" }, figure("Transactions", number(sum(ROW.transactions))),
        figure("Changes", number(sum(ROW.changes))), figure("History", bytes(sum(ROW.bytes)))),
      el("main", { id: "main", class: "board" }, el("section", { class: "panel", "aria-label": "Histories" },
        el("table", { class: "stores" }, el("thead", {}, this.headings), this.rows))),
      ending());
    this.fill();
  }

  get activityHeading() {
    if (!this.isShared || !this.span) return "Activity, each over its own span";
    const [from, to] = this.span;
    return `Activity, ${clock.range(clock.floor(from, "day"), clock.next(clock.floor(to - 1, "day"), "day"))}`;
  }

  fill() {
    const key = SORTS[this.sortedBy];
    const listed = key ? [...histories].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a.position - b.position)) : histories;
    const heading = (name, className) => {
      const order = this.sortedBy === name ? (name === "Name" ? "ascending" : "descending") : null;
      const sort = () => {
        this.sortedBy = this.sortedBy === name ? null : name;
        this.fill();
      };
      return el("th", { scope: "col", class: className, "aria-sort": order },
        el("button", { type: "button", class: "sort", title: `Sort by ${name.toLowerCase()}`, "data-focus": `sort ${name}`, onclick: sort }, name));
    };
    replace(this.headings, heading("Name"), heading("Transactions", "number"), heading("Changes", "number"), heading("History", "number"),
      heading("Span", "text"), el("th", { scope: "col" }, this.activityHeading), heading("Bookmarks"));
    this.rows.replaceChildren(...listed.map((history) => this.row(history)));
  }

  row(history) {
    const { raw, total, span } = history;
    const link = el("a", { class: "link name", href: address.write({ store: history.position }) }, own(history.name));
    const warnings = (raw.notices ?? []).length;
    // One that could not be opened has a problem, and no counts.
    const isRead = raw.total !== undefined;
    const dash = el("span", { class: "quiet", "aria-label": "unknown" }, "\u2013");
    const cell = (label, content, className) => el("td", { "data-label": label, class: className }, content);
    return el("tr", { onclick: (event) => event.target.closest("a") ?? link.click(), "data-store": history.position },
      el("td", {}, link,
        el("div", { class: "quiet small" }, isRead ? raw.kind : "could not be read",
          warnings ? el("span", { class: "warn" }, ` \u00b7 ${plural(warnings, "warning")}`) : null),
        raw.problem ? el("div", { class: "warn" }, own(raw.problem)) : null),
      cell("Transactions", isRead ? number(total[ROW.transactions]) : dash.cloneNode(true), "number"),
      cell("Changes", isRead ? number(total[ROW.changes]) : dash.cloneNode(true), "number"),
      cell("History", typeof total[ROW.bytes] === "number" ? bytes(total[ROW.bytes]) : isRead ? "unknown" : dash.cloneNode(true), "number"),
      cell("Span", raw.earliest != null ? spanText(raw) : isRead ? el("span", { class: "quiet" }, "empty") : dash.cloneNode(true), "text"),
      cell("Activity", span ? sparkLine(history, ...(this.isShared ? this.span : span)) : "", "wide"),
      cell("Bookmarks", isRead ? bookmarkState(raw) : dash));
  }
}

const ending = () => el("footer", { class: "end" }, el("span", {}, "Made by ", own(report.made.by), ". This page loads nothing and sends nothing."));

// main.js
// Puts the page together, and follows the address.

class View {
  constructor(history) {
    this.history = history;
    this.filters = new Filters(history);
    this.openIndex = null;
    this.opened = {};
    const { filters } = this;
    this.timeline = new Timeline(history, filters);
    this.charts = [this.timeline, new HeatMap(history, filters), new Growth(history),
      new Rank(history, filters, ["entity"]), new Rank(history, filters, ["attribute"]), new Rank(history, filters, ["author", "bundle", "process"])];
    this.list = new TransactionList(this);
    this.search = new Search(this);
    this.bar = el("div", { class: "filters", role: "region", "aria-label": "Filters" });
    this.inspect = el("section", { class: "panel inspect", "aria-label": "Details" });
    this.inspect.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.open({});
    });
    this.head = head(this);
    const left = history.leftOut("transactions");
    this.work = el("div", { class: "work", id: "work" },
      el("section", { class: "panel list", "aria-labelledby": "list-title" },
        el("header", {}, el("h2", { id: "list-title" }, "Transactions"), this.search.element, el("span", { class: "spacer" }),
          left ? el("span", { class: "hint" }, `the newest ${number(history.transactions.length)}`) : null),
        this.list.box),
      this.inspect);
    this.element = el("div", { class: "wrap" }, this.head,
      el("main", { id: "main", class: "board" }, this.bar, el("div", { class: "charts" }, this.charts.map((chart) => chart.element)), this.work), ending());
    filters.onChange(() => this.filtered());
  }

  // Shows a transaction or an object, and puts it into the address.
  open(what) { address.go({ ...address.of(this.history), ...address.filters(this.filters), ...what }); }

  filtered() {
    if (!this.isReading) address.replace({ ...address.of(this.history), ...address.filters(this.filters), ...this.opened });
    this.showFilters();
    this.search.update();
    this.list.update();
    for (const chart of this.charts) chart.mark?.();
    for (const link of this.head.querySelectorAll("[data-kind]")) link.setAttribute("aria-pressed", String(this.filters.has("kind", link.dataset.kind)));
  }

  showFilters() {
    const { filters, history } = this;
    const { chips } = filters;
    this.bar.classList.toggle("on", chips.length > 0);
    const count = filters.indexes().length;
    const carried = history.transactions.length;
    replace(this.bar, chips.length === 0
      ? el("span", { class: "soft" }, this.allText())
      : [el("span", { class: "count" }, `${number(count)} of ${plural(carried, "transaction")}`),
        chips.map((chip) => View.chip(...chip)),
        button("Clear all", () => filters.clear())]);
    this.bar.append(el("span", { class: "spacer" }), el("a", { class: "link to-list", href: "#work", onclick: (event) => {
      event.preventDefault();
      this.work.scrollIntoView({ block: "start" });
      this.list.box.focus({ preventScroll: true });
    } }, "Go to the list \u2193"));
  }

  allText() {
    const { history } = this;
    const carried = history.transactions.length;
    if (carried === 0) return "No transactions";
    const all = `${carried > 1 ? "All " : ""}${plural(carried, "transaction")}`;
    return `${all}${history.leftOut("transactions") ? " of this report" : ""}. Click on a chart to filter them.`;
  }

  static chip(label, text, remove) {
    const shown = oneLine(text);
    return el("span", { class: "chip" },
      el("span", { title: shown }, el("span", { class: "of" }, label), el("bdi", {}, shown)),
      el("button", { type: "button", class: "x", "aria-label": `Remove filter ${label} ${shown}`, onclick: remove, "data-focus": `chip ${label}` }, "\u00d7"));
  }

  // Follows the parts of an address.
  read(parts) {
    if (!this.isRead || !address.isOf(parts, this.filters)) {
      this.isRead = this.isReading = true;
      address.apply(parts, this.filters);
      this.isReading = false;
    }
    const { history } = this;
    const { tx, object } = parts;
    const before = JSON.stringify(this.opened);
    this.opened = tx !== undefined ? { tx } : object !== undefined ? { object } : {};
    this.openIndex = tx !== undefined ? history.byNumber.get(tx) ?? null : null;
    const isOpen = tx !== undefined || object !== undefined;
    if (tx !== undefined) this.inspect.replaceChildren(...flat(this.openIndex === null ? missingTransaction(this, tx) : transactionView(this, this.openIndex)));
    else if (object !== undefined) this.inspect.replaceChildren(...flat(objectView(this, object)));
    else this.inspect.replaceChildren(...flat(objectPicker(this)));
    this.inspect.classList.toggle("open", isOpen);
    document.body.classList.toggle("still", isOpen && narrow());
    this.inspect.scrollTop = 0;
    this.list.markOpen();
    if (isOpen && before !== JSON.stringify(this.opened)) {
      const heading = this.inspect.querySelector("h2");
      say(heading.textContent);
      const box = this.inspect.getBoundingClientRect();
      if (box.bottom < 60 || box.top > innerHeight - 60) this.work.scrollIntoView({ block: "start" });
      // Arrow keys go on in the list; elsewhere the keyboard follows what was opened.
      if (this.inspect.contains(document.activeElement) || document.activeElement === document.body || narrow()) heading.focus({ preventScroll: true });
    } else if (!isOpen && before !== "{}" && narrow()) this.list.box.focus({ preventScroll: true });
  }
}

const flat = (children) => children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);

function missingTransaction(view, number) {
  const { history } = view;
  const { oldest, newest } = history.raw;
  const reason = oldest && Number(number) < Number(oldest.number) ? `The history begins at ${oldest.number}.`
    : newest && Number(number) > Number(newest.number) ? `The history ends at ${newest.number}.`
      : history.leftOut("transactions") ? "Older transactions were left out of this report for size." : "The history does not have it.";
  return [el("div", { class: "title" }, el("h2", { tabindex: -1 }, `Transaction ${oneLine(number)}`), closeButton(view)),
    el("p", { class: "soft section" }, `This transaction is not in this report. ${reason}`)];
}

const page = {
  views: new Map(),
  root: document.getElementById("page"),

  follow() {
    const parts = address.read();
    const position = histories.length === 1 ? 1 : Number(parts.store);
    const history = histories[position - 1];
    tip.hide();
    if (!history) {
      page.shown = null;
      document.body.classList.remove("still");
      page.root.replaceChildren(page.skip(), new Overview().element);
      document.title = oneLine(report.title);
      return;
    }
    if (!page.views.has(history)) page.views.set(history, new View(history));
    const view = page.views.get(history);
    if (page.shown !== view) {
      page.shown = view;
      page.root.replaceChildren(page.skip(), view.element);
      for (const chart of view.charts) chart.fit?.();
      window.scrollTo(0, 0);
    }
    view.read(parts);
    const place = parts.tx ?? parts.object;
    document.title = [place, histories.length > 1 ? history.name : null, report.title].filter((one) => one != null).map(oneLine).join(" \u2013 ");
  },

  skip() {
    return el("a", { class: "skip", href: "#main", onclick: (event) => {
      event.preventDefault();
      const main = document.getElementById("main");
      main.setAttribute("tabindex", "-1");
      main.focus();
    } }, "Skip to the charts");
  },

  // Makes everything again, after a change of the time zone.
  rebuild() {
    page.views.clear();
    page.shown = null;
    page.follow();
    document.querySelector(".made [aria-pressed=true]")?.focus();
  },

  start() {
    clock.local = canBeLocal();
    window.addEventListener("hashchange", () => page.follow());
    // Print what is there, not what is in view.
    window.addEventListener("beforeprint", () => page.shown?.list.draw(true));
    window.addEventListener("afterprint", () => page.shown?.list.draw());
    page.follow();
    page.isStarted = true;
  },
};

page.start();
})();
</script>
</body>
</html>

"""##
}
