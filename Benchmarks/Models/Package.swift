// swift-tools-version: 6.2
import PackageDescription

// OpenSwiftData beside GRDB's records: `make benchmark-models`.
let package = Package(
  name: "model-benchmark",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "histctl", path: "../.."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .executableTarget(
      name: "ModelBenchmark",
      dependencies: [
        .product(name: "OpenSwiftData", package: "histctl"),
        .product(name: "PersistentHistory", package: "histctl"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ])
  ]
)
