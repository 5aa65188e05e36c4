// As with SwiftData, one import is enough for models and for the code that `@Model` generates.
@_exported import Foundation
@_exported import Observation
