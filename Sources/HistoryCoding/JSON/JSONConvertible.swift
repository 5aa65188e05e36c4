/// A value that can be written as JSON.
package protocol JSONConvertible {
  var json: JSONValue { get }
}

extension JSONValue: JSONConvertible { package var json: JSONValue { self } }
extension String: JSONConvertible { package var json: JSONValue { .string(self) } }
extension Int: JSONConvertible { package var json: JSONValue { .integer(Int64(self)) } }
extension Int64: JSONConvertible { package var json: JSONValue { .integer(self) } }
extension Double: JSONConvertible { package var json: JSONValue { .real(self) } }
extension Bool: JSONConvertible { package var json: JSONValue { .boolean(self) } }

extension Array: JSONConvertible where Element: JSONConvertible {
  package var json: JSONValue { .array(map(\.json)) }
}

extension JSONValue {
  /// A JSON object being made; members without a value are left out.
  package typealias Members = KeyValuePairs<String, (any JSONConvertible)?>

  /// Makes an object.
  package static func object(
    of members: Members, and others: [(String, JSONValue)] = []
  ) -> JSONValue {
    .object(JSONObject(list(of: members) + others))
  }

  /// Lists members that have a value.
  package static func list(of members: Members) -> [(String, JSONValue)] {
    members.compactMap { key, value in value.map { (key, $0.json) } }
  }
}
