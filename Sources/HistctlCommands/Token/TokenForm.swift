import HistoryCoding
import PersistentHistory
import Terminal

/// The forms that a token can be converted to.
enum TokenForm: String, WordArgument {
  case number, portable, json, plist
}

extension TokenReport {
  /// The token in one form, with a line end.
  func bytes(as form: TokenForm) throws -> [UInt8] {
    func unavailable(_ reason: String, _ hint: String) -> Failure {
      Failure(
        status: .failure, kind: "unavailableForm",
        message: "token \(token.text) has no form \(form.rawValue): \(reason)", hint: hint)
    }
    if form == .number {
      guard let number = token.number else {
        throw unavailable("it belongs to another store", "ask for --as portable")
      }
      return Array("\(number)\n".utf8)
    }
    guard let value = token.token else {
      throw unavailable("the store has no identifier", "ask for --as number")
    }
    switch form {
    case .number, .portable: return Array("\(value)\n".utf8)
    case .json: return Array(value.json.utf8) + Array("\n".utf8)
    case .plist: return try value.archivedPropertyList()
    }
  }
}

extension HistoryToken {
  /// The token in SwiftData's JSON shape, stores in order.
  var json: String {
    var writer = JSONWriter()
    let tokens = storeTokens.sorted { $0.key < $1.key }
      .map { ($0.key, JSONValue.integer($0.value)) }
    writer.append(["storeTokens": .object(JSONObject(tokens))])
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
