import HistoryCoding
import HistoryOperations
import Terminal

extension DigestComparison {
  var json: JSONValue {
    .object(of: [
      "algorithm": "sha256", "unchanged": isUnchanged,
      "files": files.map { file in
        JSONValue.object(of: [
          "path": file.path, "before": file.before?.json ?? JSONValue.null,
          "after": file.after?.json ?? JSONValue.null,
        ])
      },
    ])
  }

  /// Returns the lines that `sha256sum --check` reads if no file has changed.
  var lines: [String] {
    files.flatMap { file -> [String] in
      guard !file.isUnchanged else { return ["\(file.after?.digest ?? "")  \(file.path)"] }
      return [("before", file.before), ("after", file.after)].map { time, state in
        "\(state?.digest ?? "no file".padded(to: 64))  \(file.path) (\(time) reading)"
      }
    }
  }
}

extension FileDigest {
  fileprivate var json: JSONValue { .object(of: ["bytes": byteCount, "sha256": digest]) }
}
