// swift-tools-version: 6.3

import Foundation
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
  name: "WakeLoop",
  products: [
    .library(name: "WakeLoop", targets: ["WakeLoop"]),
    .library(name: "WakeLoopTesting", targets: ["WakeLoopTesting"]),
    // Linked, an async main and the main actor run on the loop; there is nothing to import.
    .library(name: "WakeLoopMain", targets: ["WakeLoopMain"]),
    // Hosts Foundation's main run loop in ours.
    .library(name: "WakeLoopFoundation", targets: ["WakeLoopFoundation"]),
  ],
  targets: [
    // Who lacks libevent is told by the package manager what to install.
    .systemLibrary(
      name: "CLibevent", pkgConfig: "libevent_core", providers: [.apt(["libevent-dev"])]),
    .target(
      name: "CLoopShims", dependencies: ["CLibevent"], linkerSettings: [.linkedLibrary("event_core")]),
    .target(name: "LoopCore", swiftSettings: settings),
    .target(
      name: "LoopPlatform", dependencies: ["LoopCore", "CLoopShims"], swiftSettings: settings),
    .target(
      name: "WakeLoop", dependencies: ["LoopCore", "LoopPlatform"], swiftSettings: settings),
    .target(
      name: "WakeLoopTesting", dependencies: ["WakeLoop", "LoopCore"], swiftSettings: settings),
    .target(name: "CWakeLoopMain", dependencies: ["CLoopShims"]),
    .target(
      name: "WakeLoopMain", dependencies: ["WakeLoop", "CWakeLoopMain"], swiftSettings: settings),
    .target(
      name: "WakeLoopFoundation", dependencies: ["WakeLoop", "LoopPlatform"], swiftSettings: settings),

    .example("Animation"),
    .example("FirstProgram"),
    .example("FlashSale", dependencies: ["WakeLoopTesting"]),
    .example("ConsistentNow", dependencies: ["WakeLoopTesting"]),
    .example("Modes"),
    .example("WorkerLoop"),
    .example("Chat"),
    .example("Countdown", dependencies: ["WakeLoopTesting"]),
    .example("Alarm", dependencies: ["WakeLoopTesting"]),
    .example("PollHost"),
    .example("Rows", dependencies: ["WakeLoopTesting"]),

    .program("MainThread", dependencies: ["LoopPlatform"]),
    .program("AsyncMain"),
    .program("LinkedMain", dependencies: ["WakeLoopMain"]),
    .program("FoundationGuest", dependencies: ["WakeLoopFoundation"]),

    .testTarget(
      name: "ConcurrencyTests",
      dependencies: [
        "WakeLoop", "WakeLoopTesting", "MainThread", "AsyncMain", "LinkedMain", "FoundationGuest",
      ],
      swiftSettings: settings),
    // Compiles users' code against the modules, and what must not compile.
    .testTarget(name: "ClientTests", dependencies: ["WakeLoop", "WakeLoopTesting"], swiftSettings: settings),
    .testTarget(name: "LoopCoreTests", dependencies: ["LoopCore"], swiftSettings: settings),
    .testTarget(
      name: "LoopPlatformTests", dependencies: ["LoopPlatform", "LoopCore", "CLoopShims"],
      swiftSettings: settings),
    .testTarget(
      name: "ServerTimeTests",
      dependencies: ["WakeLoop", "WakeLoopTesting", "LoopPlatform", "LoopCore"], swiftSettings: settings),
    .testTarget(
      name: "WakeLoopTests", dependencies: ["WakeLoop", "WakeLoopTesting"], swiftSettings: settings),
    .testTarget(
      name: "WakeLoopTestingTests", dependencies: ["WakeLoopTesting", "WakeLoop", "LoopCore"],
      swiftSettings: settings),
    .testTarget(
      name: "ConformanceTests", dependencies: ["WakeLoop", "WakeLoopTesting"], swiftSettings: settings),
    .testTarget(
      name: "FrameTests", dependencies: ["WakeLoop", "WakeLoopTesting", "Animation"],
      swiftSettings: settings),
    .testTarget(
      name: "TimeTests", dependencies: ["WakeLoop", "WakeLoopTesting"], swiftSettings: settings),

    // Small programs for what needs a process of its own, and the tests that launch them.
    .program("IdleLoop"),
    .program("ShortThreads"),
    .program("StoppedLoop"),
    .testTarget(
      name: "SystemTests", dependencies: ["IdleLoop", "ShortThreads", "StoppedLoop"], swiftSettings: settings),
    .testTarget(
      name: "ExampleTests",
      dependencies: [
        "WakeLoop", "WakeLoopTesting", "WakeLoopFoundation", "FirstProgram", "ConsistentNow", "Modes",
        "WorkerLoop", "Chat",
        "FlashSale", "Countdown", "Alarm", "Rows",
        "PollHost",
      ],
      swiftSettings: settings),
  ]
)

extension Target {
  /// Returns the target of the example in `Examples/<name>`.
  static func example(_ name: String, dependencies: [Target.Dependency] = []) -> Target {
    .executableTarget(
      name: name, dependencies: ["WakeLoop"] + dependencies, path: "Examples/\(name)",
      swiftSettings: settings)
  }

  /// Returns the target of the program in `Tests/Programs/<name>`, which a test starts.
  static func program(_ name: String, dependencies: [Target.Dependency] = []) -> Target {
    .executableTarget(
      name: name, dependencies: ["WakeLoop"] + dependencies, path: "Tests/Programs/\(name)",
      swiftSettings: settings)
  }
}

// The window needs the X server's libraries, which `Examples/run.sh Window` installs; without them it is not there.
if ["xcb/xcb.h", "xcb/present.h", "xcb/randr.h"].allSatisfy({
  FileManager.default.fileExists(atPath: "/usr/include/\($0)")
}) {
  package.targets += [
    .target(
      name: "CWindow", path: "Examples/Window/CWindow",
      linkerSettings: ["xcb", "xcb-present", "xcb-randr"].map { .linkedLibrary($0) }),
    .executableTarget(
      name: "Window", dependencies: ["WakeLoop", "CWindow"], path: "Examples/Window/Program",
      swiftSettings: settings),
  ]
  package.targets.first { $0.name == "FrameTests" }?.dependencies.append("Window")
}

// GLib and GTK are there where their development files are, which `Examples/run.sh Gtk` installs.
if FileManager.default.fileExists(atPath: "/usr/include/glib-2.0/glib.h") {
  package.targets += [
    .systemLibrary(
      name: "SystemGLib", path: "Examples/Gtk/SystemGLib", pkgConfig: "glib-2.0",
      providers: [.apt(["libglib2.0-dev"])]),
    .target(name: "CGLib", dependencies: ["SystemGLib"], path: "Examples/Gtk/CGLib"),
    .target(
      name: "GLibHost", dependencies: ["WakeLoop", "CGLib"], path: "Examples/Gtk/GLibHost",
      swiftSettings: settings),
    .target(
      name: "GLibGuest", dependencies: ["WakeLoop", "CGLib"], path: "Examples/Gtk/GLibGuest",
      swiftSettings: settings),
    .example("GLibProgram", dependencies: ["GLibGuest", "CGLib"]),
    .testTarget(
      name: "GLibTests", dependencies: ["WakeLoop", "GLibHost", "GLibGuest", "CGLib"], swiftSettings: settings
    ),
  ]
  package.targets.first { $0.name == "ExampleTests" }?.dependencies.append("GLibProgram")
}
if FileManager.default.fileExists(atPath: "/usr/include/gtk-3.0/gtk/gtk.h") {
  // Not by pkg-config, which adds -pthread here, of which the package manager warns at each build. GLib's own come with
  // it. Flags of a target that no product contains are no bar to whoever uses the package.
  let headers = ["gtk-3.0", "pango-1.0", "harfbuzz", "cairo", "gdk-pixbuf-2.0", "atk-1.0"]
  package.targets += [
    .target(
      name: "CGtk", dependencies: ["SystemGLib"], path: "Examples/Gtk/CGtk",
      cSettings: [.unsafeFlags(headers.map { "-I/usr/include/\($0)" })],
      linkerSettings: ["gtk-3", "gdk-3", "cairo", "gobject-2.0"].map { .linkedLibrary($0) }),
    .executableTarget(
      name: "Gtk", dependencies: ["WakeLoop", "GLibHost", "GLibGuest", "CGtk"], path: "Examples/Gtk/Program",
      swiftSettings: settings),
  ]
}
