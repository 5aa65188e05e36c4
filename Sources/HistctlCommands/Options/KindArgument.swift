import StoreFormat

/// A kind of change on the command line.
enum KindArgument: String, WordArgument {
  case insert, update, delete

  var kind: ChangeKind {
    switch self {
    case .insert: .insert
    case .update: .update
    case .delete: .delete
    }
  }
}
