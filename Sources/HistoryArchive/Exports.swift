// One import is enough for a program that reads sealed history.
@_exported import PersistentHistory
