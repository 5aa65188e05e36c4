import PersistentHistory

// Each option of the groups, a second time; the arguments come last.

extension OutputOptions {
  init(_ words: inout CommandWords) {
    self.init()
    json = words.flag("--json")
    qualified = words.flag("--qualified")
    date = words.value("--date", TimeStyle.init) ?? .local
    color = words.value("--color", ColorChoice.init) ?? .auto
    noPager = words.flag("--no-pager")
    quiet = words.flag("--quiet", "-q")
  }
}

extension FilterOptions {
  init(_ words: inout CommandWords) {
    self.init()
    slips = RangeSlips()
    slips.from = nil
    slips.to = nil
    slips.before = nil
    after = words.value("--after", "--since")
    until = words.value("--until")
    conditions = ConditionOptions(&words)
  }
}

extension SaverOptions {
  init(_ words: inout CommandWords) {
    self.init()
    author = words.values("--author")
    notAuthor = words.values("--not-author")
    noAuthor = words.flag("--no-author")
    bundle = words.values("--bundle")
    process = words.values("--process")
  }
}

extension ConditionOptions {
  init(_ words: inout CommandWords) {
    self.init()
    savers = SaverOptions(&words)
    entity = words.values("--entity")
    exactEntity = words.values("--exact-entity")
    kind = words.values("--kind", KindArgument.init)
    object = words.values("--object")
    attribute = words.values("--attribute")
  }
}

extension ArchiveOptions {
  init(_ words: inout CommandWords) {
    self.init()
    archive = words.value("--archive")
    storeIdentifier = words.value("--store-identifier")
  }
}

extension ValuesOptions {
  init(_ words: inout CommandWords) {
    self.init()
    omitsValues = words.flag("--no-values")
    valuesFile = words.value("--values-file")
  }
}

extension StoreOptions {
  init(_ words: inout CommandWords) {
    self.init()
    bookmarkFile = words.value("--bookmark-file")
    busyTimeout = words.value("--busy-timeout", Double.init) ?? 5
    store = words.argument() ?? ""
  }
}

extension Log: QuickCommand {
  init(_ words: inout CommandWords) {
    self.init()
    filter = FilterOptions(&words)
    output = OutputOptions(&words)
    count = words.value("-n", Int.init)
    reverse = words.flag("--reverse")
    changes = words.flag("--changes")
    onlyMatching = words.flag("--only-matching")
    follow = words.flag("--follow", "-f")
    archive = ArchiveOptions(&words)
    values = ValuesOptions(&words)
    store = StoreOptions(&words)
  }

  func validateAll() throws {
    try store.validate()
    try values.validate()
    try validate()
  }
}

extension Show: QuickCommand {
  init(_ words: inout CommandWords) {
    self.init()
    output = OutputOptions(&words)
    archive = ArchiveOptions(&words)
    values = ValuesOptions(&words)
    store = StoreOptions(&words)
    token = words.argument() ?? ""
  }

  func validateAll() throws {
    try store.validate()
    try values.validate()
  }
}

extension TokenCheck: QuickCommand {
  init(_ words: inout CommandWords) {
    self.init()
    output = OutputOptions(&words)
    archive = ArchiveOptions(&words)
    store = StoreOptions(&words)
    tokens = words.remainingArguments()
  }

  func validateAll() throws { try store.validate() }
}

extension Complete: QuickCommand {
  init(_ words: inout CommandWords) {
    self.init()
    bookmarkFile = words.value("--bookmark-file")
    let store = words.value("--store")
    let kind = words.argument()
    self.store = store ?? ""
    self.kind = kind.flatMap(SuggestionKind.init) ?? .token
    if store == nil || kind.flatMap(SuggestionKind.init) == nil { words.giveUp() }
  }

  func validateAll() {}
}
