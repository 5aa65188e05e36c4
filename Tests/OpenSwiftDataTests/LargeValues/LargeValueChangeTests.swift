import OpenSwiftData
import TestSupport
import Testing

/// What becomes of large values that others replace, that are undone, and of files that were left.
@Suite(.bounded) struct LargeValueChangeTests {
  /// Replaces the value of the one photo in a store.
  private func replace(in store: PhotoStore, with number: Int) throws {
    let context = ModelContext(try PhotoStore.open(store.path))
    try #require(try context.fetch(FetchDescriptor<Photo>()).first).data =
      PhotoStore.value(number)
    try context.save()
  }

  @Test func `a value replaced since the fetch is read as replaced`() throws {
    let store = try PhotoStore()
    try store.save()
    let context = store.context()
    let photo = try #require(try context.fetch(FetchDescriptor<Photo>()).first)
    // Its file is gone before anybody has asked for it.
    try replace(in: store, with: 2)
    #expect(photo.data == PhotoStore.value(2))
    try replace(in: store, with: 3)
    #expect(photo.data == PhotoStore.value(2))
    _ = try context.fetch(FetchDescriptor<Photo>())
    #expect(photo.data == PhotoStore.value(3))
    #expect(!context.hasChanges)
  }

  @Test func `rolling back restores the stored value`() throws {
    let store = try PhotoStore()
    try store.save()
    let context = store.context()
    let photo = try #require(try context.fetch(FetchDescriptor<Photo>()).first)
    photo.data = Data([1])
    try replace(in: store, with: 2)
    context.rollback()
    #expect(photo.data == PhotoStore.value(2))
  }

  @Test func `another property is saved without touching the file`() throws {
    let store = try PhotoStore()
    try store.save()
    let before = try store.fileNames()
    let context = store.context()
    let photo = try #require(try context.fetch(FetchDescriptor<Photo>()).first)
    photo.name = "Foro"
    try context.save()
    #expect(try store.fileNames() == before)
    #expect(photo.data == PhotoStore.value(1))
  }

  @Test func `a deleted model has no value`() throws {
    let store = try PhotoStore()
    try store.save()
    let context = store.context()
    let photo = try #require(try context.fetch(FetchDescriptor<Photo>()).first)
    try ModelContext(try PhotoStore.open(store.path)).erasePhotos()
    #expect(photo.data == Data())
    #expect(try context.fetch(FetchDescriptor<Photo>()).isEmpty)
  }

  #if !canImport(ObjectiveC)
  @Test func `undoing changes restores values`() throws {
    let store = try PhotoStore()
    try store.save()
    let context = store.context()
    let manager = UndoManager()
    manager.groupsByEvent = false
    context.undoManager = manager
    let photo = try #require(try context.fetch(FetchDescriptor<Photo>()).first)
    photo.data = PhotoStore.value(2)
    try context.save()
    try store.checkFiles(count: 1)
    manager.undo()
    #expect(photo.data == PhotoStore.value(1))
    try context.save()
    try store.checkFiles(count: 1)
    #expect(try store.data(of: "Forum") == PhotoStore.value(1))
    context.delete(photo)
    try context.save()
    try store.checkFiles(count: 0)
    manager.undo()
    try context.save()
    try store.checkFiles(count: 1)
    #expect(try store.data(of: "Forum") == PhotoStore.value(1))
  }
  #endif

  // MARK: - Files that were left

  @Test func `old files that no row names are removed`() throws {
    let store = try PhotoStore()
    try store.save("old", 1)
    let named = try store.fileNames()
    let left = "0A4F9E5B-1C2D-4E3F-8A9B-0C1D2E3F4A5B"
    let foreign = "notes.txt"
    for name in [left, foreign] {
      try FileBytes.write([1, 2], to: store.filesPath + "/" + name)
    }
    try ExternalFiles.age(in: store.filesPath)
    // What another program may be about to name stays.
    let young = "1A4F9E5B-1C2D-4E3F-8A9B-0C1D2E3F4A5B"
    try FileBytes.write([3], to: store.filesPath + "/" + young)
    // A save that has nothing to do with files looks for none, and an editor looks once.
    let other = try PhotoStore.open(store.path)
    let context = ModelContext(other)
    context.insert(Album(title: "Rome"))
    try context.save()
    #expect(try store.fileNames().contains(left))
    context.insert(Photo(name: "new", data: PhotoStore.value(2)))
    try context.save()
    let names = Set(try store.fileNames())
    #expect(names.isSuperset(of: named + [foreign, young]))
    #expect(!names.contains(left))
    #expect(names.count == 4)
    #expect(try store.data(of: "old") == PhotoStore.value(1))
  }

  @Test func `files stay if another store has the same folder`() throws {
    let store = try PhotoStore()
    try store.save("mine", 1)
    // Its name differs in the extension alone.
    let sibling = store.folder.file("Photos.sqlite")
    let context = ModelContext(try PhotoStore.open(sibling))
    context.insert(Photo(name: "theirs", data: PhotoStore.value(2)))
    try context.save()
    try ExternalFiles.age(in: store.filesPath)
    for path in [store.path, sibling] {
      let context = ModelContext(try PhotoStore.open(path))
      context.insert(Photo(name: "more", data: PhotoStore.value(3)))
      try context.save()
    }
    #expect(try store.fileNames().count == 4)
    #expect(try store.data(of: "mine") == PhotoStore.value(1))
    let other = ModelContext(try PhotoStore.open(sibling))
    let found = try other.fetch(FetchDescriptor<Photo>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map(\.data) == [PhotoStore.value(3), PhotoStore.value(2)])
  }
}

extension ModelContext {
  /// Deletes all photos.
  fileprivate func erasePhotos() throws {
    try delete(model: Photo.self)
    try save()
  }
}
