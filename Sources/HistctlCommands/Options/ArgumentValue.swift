import ArgumentParser

/// What the help calls a value, and how shells complete it.
struct ArgumentValue: ExpressibleByStringLiteral {
  private let name: String
  fileprivate let completion: CompletionKind?

  init(_ name: String, _ completion: CompletionKind? = nil) {
    self.name = name
    self.completion = completion
  }

  /// Names a value that shells do not complete.
  init(stringLiteral name: String) { self.init(name) }

  private init(_ completion: Completion) { self.init(completion.rawValue, completion.kind) }

  static var attribute: Self { Self(Completion.attribute) }
  static var author: Self { Self(Completion.author) }
  static var bookmark: Self { Self(Completion.bookmark) }
  static var bundle: Self { Self(Completion.bundle) }
  static var entity: Self { Self(Completion.entity) }
  static var object: Self { Self(Completion.object) }
  static var process: Self { Self(Completion.process) }
  static var token: Self { Self(Completion.token) }
  static var file: Self { Self("file", .file()) }
  static var folder: Self { Self("dir", .directory) }
  static var store: Self { Self("store", .store) }

  fileprivate func help(_ text: String) -> ArgumentHelp { ArgumentHelp(text, valueName: name) }
}

/// A value that is read from the text of an option.
protocol OptionValue: Sendable {
  /// What the help calls it.
  static var valueName: String { get }

  /// Reads the text, or says what to write instead.
  init(option text: String) throws(ValidationError)
}

extension NameSpecification {
  /// Where output goes.
  static var output: Self { [.customShort("o", allowingJoined: true), .customLong("output")] }
}

extension Option {
  init(name: NameSpecification = .long, value: ArgumentValue, help: String)
  where Value: ExpressibleByArgument {
    self.init(name: name, help: value.help(help), completion: value.completion)
  }

  init(
    wrappedValue: Value, name: NameSpecification = .long, value: ArgumentValue, help: String
  ) where Value: ExpressibleByArgument {
    self.init(
      wrappedValue: wrappedValue, name: name, help: value.help(help), completion: value.completion)
  }

  init<Element: ExpressibleByArgument>(
    name: NameSpecification = .long, value: ArgumentValue, help: String
  ) where Value == Element? {
    self.init(name: name, help: value.help(help), completion: value.completion)
  }

  init<Element: ExpressibleByArgument>(
    wrappedValue: [Element], name: NameSpecification = .long, value: ArgumentValue, help: String
  ) where Value == [Element] {
    self.init(
      wrappedValue: wrappedValue, name: name, help: value.help(help), completion: value.completion)
  }

  init<Element: OptionValue>(
    name: NameSpecification = .long, value: ArgumentValue = ArgumentValue(Element.valueName),
    help: String
  ) where Value == Element? {
    self.init(name: name, help: value.help(help)) { try Element(option: $0) }
  }
}

extension Argument {
  init(value: ArgumentValue, help: String) where Value: ExpressibleByArgument {
    self.init(help: value.help(help), completion: value.completion)
  }

  init(wrappedValue: Value, value: ArgumentValue, help: String)
  where Value: ExpressibleByArgument {
    self.init(wrappedValue: wrappedValue, help: value.help(help), completion: value.completion)
  }

  init<Element: ExpressibleByArgument>(value: ArgumentValue, help: String)
  where Value == Element? {
    self.init(help: value.help(help), completion: value.completion)
  }

  init<Element: ExpressibleByArgument>(value: ArgumentValue, help: String)
  where Value == [Element] {
    self.init(help: value.help(help), completion: value.completion)
  }

  init<Element: ExpressibleByArgument>(
    wrappedValue: [Element], value: ArgumentValue, help: String
  ) where Value == [Element] {
    self.init(wrappedValue: wrappedValue, help: value.help(help), completion: value.completion)
  }
}
