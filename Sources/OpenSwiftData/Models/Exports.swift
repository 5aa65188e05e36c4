// As with SwiftData, one import is enough for the code that `@Model` makes and for what models are
// made of.
@_exported import Foundation
@_exported import Observation
