// swift-tools-version: 6.2
import PackageDescription

// One program for both sides: on Linux `import SwiftData` is this repository's, on macOS the framework.
let package = Package(
  name: "parity",
  platforms: [.macOS(.v26)],
  targets: [
    .executableTarget(name: "Parity", swiftSettings: [.treatAllWarnings(as: .error)])
  ]
)

#if os(Linux)
package.dependencies = [.package(name: "histctl", path: "../..")]
package.targets[0].dependencies = [.product(name: "SwiftData", package: "histctl")]
#endif
