// swift-tools-version: 6.3

import PackageDescription

// Code as users write it, under each of the settings of the language under which they may.
let package = Package(
  name: "Clients",
  dependencies: [.package(name: "WakeLoop", path: "../..")],
  targets: [
    .client("SwiftSix", [.swiftLanguageMode(.v6)]),
    .client("SwiftFive", [.swiftLanguageMode(.v5)]),
    .client("MainActorByDefault", [.swiftLanguageMode(.v6), .defaultIsolation(MainActor.self)]),
    .client(
      "CallersActor", [.swiftLanguageMode(.v6), .enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
    .client(
      "EverythingComing",
      [
        .swiftLanguageMode(.v6), .defaultIsolation(MainActor.self), .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InferIsolatedConformances"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
      ]),
  ]
)

extension Target {
  /// Returns a target whose folder links to the sources that all of them share.
  static func client(_ name: String, _ settings: [SwiftSetting]) -> Target {
    .executableTarget(
      name: name,
      dependencies: [
        .product(name: "WakeLoop", package: "WakeLoop"),
        .product(name: "WakeLoopTesting", package: "WakeLoop"),
      ],
      swiftSettings: settings)
  }
}
