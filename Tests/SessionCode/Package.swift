// swift-tools-version: 6.2
import PackageDescription

// The code of Apple's sessions, as an app would have it: a package of its own, which knows nothing of
// this one but its product. `make session-code` builds and runs it with what the tests have built.
let package = Package(
  name: "session-code",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "histctl", path: "../..")],
  targets: [
    .executableTarget(
      name: "SessionCode", dependencies: [.product(name: "OpenSwiftData", package: "histctl")],
      swiftSettings: [.treatAllWarnings(as: .error)])
  ]
)
