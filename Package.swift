// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

// CI treats warnings in this package as errors; warnings in its dependencies stay warnings.
let strict: [SwiftSetting] =
  Context.environment["HISTCTL_STRICT"] == "1"
  ? [.treatAllWarnings(as: .error)] : []

// HISTCTL_FUZZ=1 adds the program that fuzzes the decoders, which are then built for it; `.ci/fuzz` builds it.
let isFuzzed = Context.environment["HISTCTL_FUZZ"] == "1"
let library: [SwiftSetting] =
  isFuzzed ? [.unsafeFlags(["-sanitize=fuzzer,address"])] : strict

// The tests run once, so that optimising them would take longer than it saves.
let test: [SwiftSetting] =
  strict + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

// HISTCTL_COMMIT is the commit that `histctl --version` names; the Makefile finds it out for a release build.
let commit: [CSetting] =
  Context.environment["HISTCTL_COMMIT"]
  .map { [.define("HISTCTL_COMMIT", to: "\"\($0)\"")] } ?? []

let package = Package(
  name: "histctl",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "histctl", targets: ["histctl"]),
    .library(name: "PersistentHistory", targets: ["PersistentHistory"]),
    .library(name: "HistoryCoding", targets: ["HistoryCoding"]),
    .library(name: "HistoryArchive", targets: ["HistoryArchive"]),
    .library(name: "OpenSwiftData", targets: ["OpenSwiftData"]),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/pointfreeco/swift-custom-dump", from: "1.7.3"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    // For the macros of OpenSwiftData only; nothing else compiles it.
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
  ],
  targets: [
    // Floor 0: system libraries.
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .systemLibrary(
      name: "CZstd", pkgConfig: "libzstd",
      providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
    .systemLibrary(
      name: "CArchive", pkgConfig: "libarchive",
      providers: [.apt(["libarchive-dev"])]),
    .systemLibrary(
      name: "CCrypto", pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"])]),
    .target(name: "CSQLiteSupport"),
    .target(name: "CBuild", cSettings: commit),
    .target(name: "Libc", swiftSettings: library),

    // Floor 1: independent of stores.
    .target(name: "PropertyLists", swiftSettings: library),
    .target(
      name: "DurableFiles",
      dependencies: [
        // Apple's systems have CryptoKit.
        .target(name: "CCrypto", condition: .when(platforms: [.linux])), "Libc",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: library),
    .target(name: "Terminal", dependencies: ["Libc"], swiftSettings: library),

    // Floor 2: the file.
    .target(
      name: "StoreFormat",
      dependencies: [
        "CZlib", "CSQLiteSupport", "DurableFiles", "Libc", "PropertyLists",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: library),

    // Between floors 2 and 3: what both targets of floor 3 need to write.
    .target(
      name: "StoreTransactions",
      dependencies: [
        "CSQLiteSupport", "DurableFiles", "Libc", "StoreFormat",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: library),

    // Floor 3: changing the history and the file around it.
    .target(
      name: "StoreEditing",
      dependencies: [
        "CSQLiteSupport", "DurableFiles", "Libc", "PropertyLists", "StoreFormat",
        "StoreTransactions",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: library),

    // Floor 3: being an app, which saves objects. Nothing that reads a history needs it.
    .target(
      name: "StoreWriting",
      dependencies: [
        "CSQLiteSupport", "DurableFiles", "Libc", "PropertyLists", "StoreFormat",
        "StoreTransactions",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: library),

    // Floor 4: the history.
    .target(
      name: "PersistentHistory",
      dependencies: [
        "DurableFiles", "Libc", "PropertyLists", "StoreEditing", "StoreFormat", "StoreTransactions",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: library),

    // Floor 5: history as text.
    .target(
      name: "HistoryCoding",
      dependencies: [
        "Libc", "PersistentHistory", "PropertyLists", "StoreFormat", "CZlib", "CZstd",
      ],
      swiftSettings: library),

    // Floor 6: sealed history.
    .target(
      name: "HistoryArchive",
      dependencies: [
        "DurableFiles", "HistoryCoding", "Libc", "PersistentHistory", "StoreEditing", "StoreFormat",
        "CZstd",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: library),

    // Floor 5: the sample store.
    .target(
      name: "DemoStore",
      dependencies: ["StoreEditing", "StoreFormat", "StoreTransactions", "StoreWriting"],
      swiftSettings: library),

    // Floor 5: SwiftData's API and its macros.
    .macro(
      name: "OpenSwiftDataMacros",
      dependencies: [
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
        .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
      ], swiftSettings: strict),
    .target(
      name: "OpenSwiftData",
      dependencies: [
        "OpenSwiftDataMacros", "DurableFiles", "StoreEditing", "StoreFormat", "StoreTransactions",
        "StoreWriting", "PersistentHistory",
      ],
      swiftSettings: library),

    // Floor 7: whole jobs, as functions that a program can call.
    .target(
      name: "HistoryOperations",
      dependencies: [
        "CArchive", "DurableFiles", "Libc", "PropertyLists", "StoreEditing", "StoreFormat",
        "StoreTransactions", "StoreWriting", "PersistentHistory", "HistoryCoding", "HistoryArchive",
        .product(name: "SystemPackage", package: "swift-system"),
      ], resources: [.embedInCode("Report/Page")],
      swiftSettings: library),

    // Floors 8 and 9: the commands, and the program that runs one of them.
    .target(
      name: "HistctlCommands",
      dependencies: [
        "CBuild", "DurableFiles", "Libc", "StoreEditing", "StoreFormat", "StoreTransactions",
        "PersistentHistory",
        "HistoryCoding", "HistoryArchive", "HistoryOperations",
        "DemoStore", "Terminal", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: library),
    .executableTarget(
      name: "histctl",
      dependencies: [
        "DurableFiles", "HistctlCommands", "Libc", "StoreEditing", "StoreFormat", "Terminal",
      ],
      swiftSettings: strict),

    // A sample: an app and its widget that share a store.
    .target(
      name: "SampleTripsKit", dependencies: ["OpenSwiftData"], path: "Sources/SampleTrips/Kit",
      swiftSettings: strict),
    .executableTarget(
      name: "sampletrips",
      dependencies: [
        "SampleTripsKit", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], path: "Sources/SampleTrips/App", swiftSettings: strict),
    .executableTarget(
      name: "sampletrips-widget",
      dependencies: [
        "SampleTripsKit", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], path: "Sources/SampleTrips/Widget", swiftSettings: strict),

    // Writes the manual pages and completions from the description of the command line.
    .executableTarget(name: "ManualGenerator", swiftSettings: strict),

    // The support of the tests knows the layout independently, so that readers are checked against it.
    .target(
      name: "TestSupport",
      dependencies: [
        "Libc", "PersistentHistory", "PropertyLists", "StoreFormat", "StoreWriting", "CZlib",
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "Subprocess", package: "swift-subprocess"),
      ],
      path: "Tests/TestSupport", swiftSettings: library),
    // A process that appends to a store, for tests with several writers and with killed ones.
    .executableTarget(
      name: "StoreAppender", dependencies: ["StoreFormat", "StoreWriting"],
      path: "Tests/StoreAppender",
      swiftSettings: strict),
    .testTarget(
      name: "PropertyListsTests", dependencies: ["PropertyLists", "TestSupport"],
      swiftSettings: test),
    .testTarget(
      name: "TerminalTests", dependencies: ["Terminal", "TestSupport"], swiftSettings: test),
    .testTarget(
      name: "StoreFormatTests",
      dependencies: [
        "DurableFiles", "PropertyLists", "StoreFormat", "StoreWriting", "TestSupport",
      ],
      swiftSettings: test),
    .testTarget(
      name: "StoreTransactionsTests",
      dependencies: [
        "DurableFiles", "StoreFormat", "StoreTransactions", "StoreWriting", "TestSupport",
      ],
      swiftSettings: test),
    .testTarget(
      name: "StoreEditingTests",
      dependencies: [
        "DurableFiles", "PropertyLists", "StoreEditing", "StoreFormat", "StoreWriting",
        "TestSupport",
      ],
      swiftSettings: test),
    .testTarget(
      name: "StoreWritingTests",
      dependencies: [
        "DurableFiles", "PropertyLists", "StoreAppender", "StoreFormat", "StoreWriting",
        "TestSupport",
      ],
      swiftSettings: test),
    .testTarget(
      name: "PersistentHistoryTests",
      dependencies: [
        "PersistentHistory", "TestSupport",
        .product(name: "CustomDump", package: "swift-custom-dump"),
      ], swiftSettings: test),
    .testTarget(
      name: "HistoryCodingTests",
      dependencies: [
        "HistoryCoding", "TestSupport",
        .product(name: "CustomDump", package: "swift-custom-dump"),
      ], swiftSettings: test),
    .testTarget(
      name: "HistoryArchiveTests",
      dependencies: [
        "HistoryArchive", "TestSupport",
        .product(name: "CustomDump", package: "swift-custom-dump"),
      ], exclude: ["Fixtures"], swiftSettings: test),
    .testTarget(
      name: "DemoStoreTests", dependencies: ["DemoStore", "TestSupport"], swiftSettings: test),
    // A process that saves models, for tests with several writers and with killed ones.
    .executableTarget(
      name: "ModelSaver", dependencies: ["OpenSwiftData"], path: "Tests/ModelSaver",
      swiftSettings: strict),
    // Models as apps in Swift 5 have them; the compiler warns of what is an error in Swift 6.
    .target(
      name: "AppModels", dependencies: ["OpenSwiftData"], path: "Tests/AppModels",
      swiftSettings: [.swiftLanguageMode(.v5)]
        + (strict.isEmpty ? [] : [.unsafeFlags(["-suppress-warnings"])])),
    // No test target depends on the macros themselves: SwiftPM would then build all tests, and
    // everything below them, for the host as well.
    .testTarget(
      // They run histctl, but as a dependency it would have them compiled last, after all else is.
      name: "OpenSwiftDataTests",
      dependencies: ["AppModels", "OpenSwiftData", "ModelSaver", "TestSupport"],
      swiftSettings: test),
    .testTarget(
      name: "SampleTripsTests",
      dependencies: ["sampletrips", "sampletrips-widget", "histctl", "TestSupport"],
      swiftSettings: test),
    .testTarget(
      name: "HistctlCommandsTests",
      dependencies: ["HistctlCommands", "HistoryOperations", "Terminal", "histctl", "TestSupport"],
      swiftSettings: test
    ),
  ]
)

#if os(Linux)
// For `import SwiftData`; on Apple's systems it would hide the framework.
package.products.append(.library(name: "SwiftData", targets: ["SwiftData"]))
package.targets.append(
  .target(name: "SwiftData", dependencies: ["OpenSwiftData"], swiftSettings: library))
package.targets.first { $0.name == "AppModels" }?.dependencies.append("SwiftData")
#endif

if isFuzzed {
  package.targets.append(
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "DemoStore", "HistctlCommands", "HistoryArchive", "HistoryCoding", "PersistentHistory",
        "PropertyLists", "StoreFormat",
      ], path: "Tests/Fuzz", swiftSettings: [.unsafeFlags(["-sanitize=address"])],
      linkerSettings: [.unsafeFlags(["-sanitize=address"]), .linkedLibrary("stdc++")]))
}

// HISTCTL_TESTS="StoreFormatTests TerminalTests" builds those tests alone: all of them take minutes.
if let wanted = Context.environment["HISTCTL_TESTS"]?.split(separator: " ") {
  package.targets.removeAll { $0.type == .test && !wanted.contains($0.name[...]) }
}
