// One import is enough for a program that opens a store, reads its history and handles the errors of both.
@_exported import StoreEditing
@_exported import StoreFormat
@_exported import StoreTransactions
