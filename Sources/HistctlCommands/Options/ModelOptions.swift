import ArgumentParser

/// Whether to tell of a store's model, and of which entities.
struct ModelOptions: CheckedOptions {
  @Flag(help: "List what the model says instead: entities, attributes and relationships.")
  var model = false

  @Option(help: ArgumentHelp("With --model, only this entity.", valueName: "entity"))
  var entity: [String] = []

  func check() throws {
    if !entity.isEmpty, !model {
      throw ValidationError("--entity chooses among what --model lists; add --model")
    }
  }
}
