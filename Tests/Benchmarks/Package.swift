// swift-tools-version: 6.3

import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

// A package of its own: who builds WakeLoop does not build its benchmarks.
let package = Package(
  name: "Benchmarks",
  dependencies: [.package(name: "WakeLoop", path: "../..")],
  targets: [
    .target(name: "CBenchPeers", linkerSettings: [.linkedLibrary("event_core")]),
    // The sources of LoopCore once more, since package access ends at the package: a link in the file system.
    .target(name: "LoopCoreAlone", swiftSettings: settings),
    .executableTarget(
      name: "Benchmarks",
      dependencies: ["CBenchPeers", "LoopCoreAlone", .product(name: "WakeLoop", package: "WakeLoop")],
      swiftSettings: settings),
    // How late frames are, beside the bare floor.
    .target(name: "CFrameFloor"),
    .executableTarget(
      name: "FramePacing", dependencies: ["CFrameFloor", .product(name: "WakeLoop", package: "WakeLoop")],
      swiftSettings: settings),
  ]
)
