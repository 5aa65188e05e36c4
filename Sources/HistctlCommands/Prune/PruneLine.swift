import PersistentHistory
import StoreEditing
import StoreFormat
import Terminal

/// A plan, or what became of it, in one line.
struct PruneLine {
  let options: OutputOptions
  let now: StoreTimestamp

  /// A plan that is not carried out.
  func text(of plan: PrunePlan) -> String {
    guard !plan.isEmpty else { return nothing(plan) }
    let values = Int(plan.recordedValues?.valueCount ?? 0)
    if plan.deletion.isEmpty { return "\(plan.path): would delete \(Self.text(values: values))" }
    let what = "\(what(plan.deletion.deleted, plan, values))\(rest(plan))"
    guard !plan.isRefused else {
      return "\(plan.path): would delete nothing: refused "
        + "(\(plan.refusingGuards.joined(separator: ", "))); with \(plan.optionsToIgnoreRefusals) "
        + "it would delete \(what)"
    }
    return "\(plan.path): would delete \(what)"
  }

  /// A plan that was carried out.
  func text(of result: Erasure, _ plan: PrunePlan) -> String {
    guard !plan.isEmpty else { return nothing(plan) }
    let values = result.recordedValueCount
    if plan.deletion.isEmpty { return "\(plan.path): deleted \(Self.text(values: values))" }
    return "\(plan.path): deleted \(what(result.deleted, plan, values))\(rest(plan))"
  }

  private static func text(values: Int) -> String { values.counted("recorded value") }

  private func nothing(_ plan: PrunePlan) -> String {
    if plan.isSmallEnough, let bytes = plan.history.byteCount, let limit = plan.request.ifLargerThan
    {
      return "\(plan.path): nothing to delete: the history is \(ByteCount(bytes)) "
        + "(limit \(ByteCount(limit)))"
    }
    if plan.history.newest == nil { return "\(plan.path): nothing to delete: the history is empty" }
    let reason = plan.deciders.isEmpty ? "" : " (\(plan.deciders.joined(separator: ", ")))"
    return "\(plan.path): nothing to delete\(reason)"
  }

  private func what(_ deleted: DeletedHistory, _ plan: PrunePlan, _ values: Int) -> String {
    let changes =
      deleted.changeCount.counted("change")
      + (values > 0 ? ", " + Self.text(values: values) : "")
    let bytes = plan.byteCount.map { ", about \(ByteCount($0))" } ?? ""
    if case .entity(let name) = plan.request.target { return "\(changes) of \(name)\(bytes)" }
    return deleted.transactionCount.counted("transaction") + ", \(changes)\(bytes)"
  }

  private func rest(_ plan: PrunePlan) -> String {
    if case .entity = plan.request.target { return "" }
    let reason = plan.deciders.joined(separator: ", ")
    guard let first = plan.firstKept else { return "; nothing stays (\(reason))" }
    let tokens = TokenText(isQualified: options.qualified, store: plan.storeIdentifier)
    let time = TimeText(style: options.date, now: now).text(first.timestamp)
    return ", all before \(tokens.text(first.number)) of \(time) (\(reason))"
  }
}

extension HistoryDeletion {
  /// What a complete run deletes.
  fileprivate var deleted: DeletedHistory {
    DeletedHistory(transactionCount: transactionCount, changeCount: changeCount)
  }
}
