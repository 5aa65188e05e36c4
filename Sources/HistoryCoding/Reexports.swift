// One import is enough for a program that writes history as lines.
@_exported import PersistentHistory
