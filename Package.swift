// swift-tools-version: 6.2

import PackageDescription

// What is built for etcd's gRPC API only.
let forEtcdGRPC = TargetDependencyCondition.when(traits: ["EtcdGRPC"])

let package = Package(
    name: "discfg",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "DiscfgCore", targets: ["DiscfgCore"]),
        .library(name: "DiscfgFormats", targets: ["DiscfgFormats"]),
        .library(name: "DiscfgYAML", targets: ["DiscfgYAML"]),
        .library(name: "DiscfgNotifications", targets: ["DiscfgNotifications"]),
        .library(name: "DiscfgSQLite", targets: ["DiscfgSQLite"]),
        .library(name: "DiscfgDynamoDB", targets: ["DiscfgDynamoDB"]),
        .library(name: "DiscfgEtcd", targets: ["DiscfgEtcd"]),
        .library(name: "DiscfgEtcdGRPC", targets: ["DiscfgEtcdGRPC"]),
        .library(name: "AWSClient", targets: ["AWSClient"]),
        .library(name: "DynamoDBPatterns", targets: ["DynamoDBPatterns"]),
        .library(name: "DynamoDBPatternsTesting", targets: ["DynamoDBPatternsTesting"]),
        .library(name: "LambdaRuntime", targets: ["LambdaRuntime"]),
        .library(name: "DiscfgHTTP", targets: ["DiscfgHTTP"]),
        .library(name: "DiscfgClient", targets: ["DiscfgClient"]),
        .library(name: "DiscfgTestSupport", targets: ["DiscfgTestSupport"]),
        .executable(name: "discfg", targets: ["discfg"]),
        .executable(name: "discfg-lambda", targets: ["discfg-lambda"]),
    ],
    traits: [
        .trait(name: "EtcdGRPC", description: "etcd's v3 API over gRPC: discfg serve --etcd-listen."),
        .default(enabledTraits: ["EtcdGRPC"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.3"),
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.2"),
        .package(url: "https://github.com/grpc/grpc-swift-protobuf", from: "2.4.1"),
        // Without the traits that need the whole of Foundation, which would double what discfg-lambda has to load.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/onevcat/Rainbow", from: "4.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    ],
    targets: [
        .target(
            name: "DiscfgCore",
            dependencies: [
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .target(name: "DiscfgFormats", dependencies: ["DiscfgCore"]),
        // Apart, because its parser needs the whole of Foundation.
        .target(
            name: "DiscfgYAML",
            dependencies: [
                "DiscfgCore",
                "DiscfgFormats",
                .product(name: "Yams", package: "Yams"),
            ]
        ),
        .target(
            name: "DiscfgSQLite",
            dependencies: [
                "DiscfgCore",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "AWSClient",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]
        ),
        .target(
            name: "DynamoDBPatterns",
            dependencies: [
                "AWSClient",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(name: "DynamoDBPatternsTesting", dependencies: ["AWSClient", "DynamoDBPatterns"]),
        .target(
            name: "DiscfgSimulation",
            dependencies: [
                "AWSClient", "DiscfgCore", "DiscfgDynamoDB", "DiscfgDynamoDBTestSupport", "DiscfgEtcd",
                "DynamoDBPatterns", "DynamoDBPatternsTesting",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "DiscfgDynamoDB",
            dependencies: [
                "AWSClient",
                "DiscfgCore",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .target(
            name: "DiscfgDynamoDBTestSupport",
            dependencies: ["AWSClient", "DiscfgDynamoDB", "DynamoDBPatterns", "DynamoDBPatternsTesting"]
        ),
        .target(
            name: "DiscfgNotifications",
            dependencies: [
                "AWSClient",
                "DiscfgCore",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .target(
            name: "LambdaRuntime",
            dependencies: [
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .target(
            name: "DiscfgEtcd",
            dependencies: [
                "DiscfgCore",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "DiscfgEtcdGRPC",
            dependencies: [
                "DiscfgCore",
                "DiscfgEtcd",
                .product(name: "GRPCCore", package: "grpc-swift-2", condition: forEtcdGRPC),
                .product(
                    name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport", condition: forEtcdGRPC),
                .product(name: "GRPCProtobuf", package: "grpc-swift-protobuf", condition: forEtcdGRPC),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2", condition: forEtcdGRPC),
                .product(name: "NIOHTTP2", package: "swift-nio-http2", condition: forEtcdGRPC),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SwiftProtobuf", package: "swift-protobuf", condition: forEtcdGRPC),
            ]
        ),
        .target(
            name: "DiscfgHTTP",
            dependencies: [
                "DiscfgCore",
                "DiscfgEtcd",
                "DiscfgFormats",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            resources: [.embedInCode("openapi.yaml")]
        ),
        .target(
            name: "DiscfgClient",
            dependencies: [
                "DiscfgCore",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .target(
            name: "DiscfgTestSupport",
            dependencies: [
                "DiscfgCore",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "AWSTestSupport",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]
        ),
        .executableTarget(
            name: "discfg",
            dependencies: [
                "AWSClient",
                "CGlibcShim",
                "DiscfgCore",
                "DiscfgDynamoDB",
                "DiscfgEtcd",
                .target(name: "DiscfgEtcdGRPC", condition: forEtcdGRPC),
                "DiscfgFormats",
                "DiscfgYAML",
                "DiscfgNotifications",
                "DiscfgSQLite",
                "DiscfgHTTP",
                "DiscfgClient",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "Rainbow", package: "Rainbow"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),
        // Lets discfg and discfg-lambda start where glibc is older than here.
        .target(name: "CGlibcShim"),
        .executableTarget(
            name: "discfg-lambda",
            dependencies: [
                "AWSClient",
                "CGlibcShim",
                "DiscfgCore",
                "DiscfgDynamoDB",
                "DiscfgEtcd",
                "DiscfgHTTP",
                "DiscfgNotifications",
                "LambdaRuntime",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .executableTarget(
            name: "dynamodb-benchmark",
            dependencies: [
                "AWSClient", "AWSTestSupport", "DiscfgCore", "DiscfgDynamoDB",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Benchmarks/DynamoDB"
        ),
        .executableTarget(
            name: "audit-trail", dependencies: ["AWSClient", "DynamoDBPatterns"], path: "Examples/audit-trail"),
        .executableTarget(
            name: "click-alert", dependencies: ["AWSClient", "DynamoDBPatterns"], path: "Examples/click-alert"),
        .executableTarget(
            name: "hourly-report", dependencies: ["AWSClient", "DynamoDBPatterns"], path: "Examples/hourly-report"),
        .executableTarget(
            name: "order-saga", dependencies: ["AWSClient", "DynamoDBPatterns"], path: "Examples/order-saga"),
        .executableTarget(
            name: "seat-booking", dependencies: ["AWSClient", "DynamoDBPatterns"], path: "Examples/seat-booking"),
        .executableTarget(
            name: "welcome-mail", dependencies: ["AWSClient", "DynamoDBPatterns"], path: "Examples/welcome-mail"),
        .executableTarget(
            name: "patterns-benchmark",
            dependencies: [
                "AWSClient", "AWSTestSupport", "DynamoDBPatterns", "DynamoDBPatternsTesting",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Benchmarks/Patterns"
        ),
        .testTarget(name: "DiscfgCoreTests", dependencies: ["DiscfgCore", "DiscfgTestSupport"]),
        .testTarget(
            name: "DiscfgSimulationTests",
            dependencies: ["DiscfgCore", "DiscfgSimulation", "DynamoDBPatternsTesting"]
        ),
        .testTarget(
            name: "DiscfgFormatsTests",
            dependencies: ["DiscfgFormats", "DiscfgTestSupport", "DiscfgYAML"],
            resources: [.copy("Fixtures")]
        ),
        .testTarget(
            name: "DiscfgNotificationsTests",
            dependencies: [
                "AWSClient", "AWSTestSupport", "DiscfgCore", "DiscfgNotifications", "DiscfgTestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .testTarget(
            name: "LambdaRuntimeTests",
            dependencies: [
                "LambdaRuntime",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "discfg-lambdaTests",
            dependencies: [
                "discfg-lambda", "AWSClient", "DiscfgCore", "DiscfgEtcd", "DiscfgHTTP", "DiscfgNotifications",
                "DiscfgTestSupport", "LambdaRuntime",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "DiscfgSQLiteTests",
            dependencies: [
                "DiscfgSQLite", "DiscfgTestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),
        .testTarget(
            name: "AWSClientTests",
            dependencies: [
                "AWSClient", "AWSTestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            exclude: ["Fixtures"]
        ),
        .testTarget(
            name: "AWSTestSupportTests",
            dependencies: [
                "AWSTestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]
        ),
        .testTarget(
            name: "DynamoDBPatternsTests",
            dependencies: [
                "AWSClient", "AWSTestSupport", "DynamoDBPatterns", "DynamoDBPatternsTesting",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "InMemoryLogging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "DynamoDBPatternsTestingTests",
            dependencies: [
                "AWSClient", "AWSTestSupport", "DynamoDBPatterns", "DynamoDBPatternsTesting",
            ]
        ),
        .testTarget(
            name: "DiscfgDynamoDBTests",
            dependencies: [
                "AWSClient", "AWSTestSupport", "DiscfgDynamoDB", "DiscfgDynamoDBTestSupport", "DiscfgTestSupport",
                "DynamoDBPatterns", "DynamoDBPatternsTesting",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "DiscfgEtcdTests",
            dependencies: [
                "DiscfgCore", "DiscfgEtcd", "DiscfgTestSupport",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "DiscfgEtcdGRPCTests",
            dependencies: [
                "DiscfgCore", "DiscfgEtcd", "DiscfgEtcdGRPC", "DiscfgTestSupport",
                .product(name: "GRPCCore", package: "grpc-swift-2", condition: forEtcdGRPC),
                .product(
                    name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport", condition: forEtcdGRPC),
                .product(name: "GRPCProtobuf", package: "grpc-swift-protobuf", condition: forEtcdGRPC),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2", condition: forEtcdGRPC),
                .product(name: "NIOHTTP2", package: "swift-nio-http2", condition: forEtcdGRPC),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
                .product(name: "SwiftProtobuf", package: "swift-protobuf", condition: forEtcdGRPC),
            ]
        ),
        .testTarget(
            name: "DiscfgHTTPTests",
            dependencies: [
                "DiscfgEtcd", "DiscfgHTTP", "DiscfgTestSupport", "DiscfgYAML",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "DiscfgClientTests",
            dependencies: [
                "DiscfgClient", "DiscfgHTTP", "DiscfgTestSupport",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "discfgTests",
            dependencies: [
                "discfg", "DiscfgCore", "DiscfgDynamoDB", "DiscfgFormats", "DiscfgHTTP", "DiscfgTestSupport",
                .target(name: "DiscfgEtcdGRPC", condition: forEtcdGRPC),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "discfg", "discfg-lambda", "AWSClient", "AWSTestSupport", "DiscfgCore", "DiscfgSQLite",
                "DynamoDBPatterns",
                "audit-trail", "click-alert", "hourly-report", "order-saga", "seat-booking", "welcome-mail",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            exclude: ["Etcd/Programs", "Deploy"]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// Compiled for libFuzzer, which brings the main function: Scripts/fuzz.sh.
if Context.environment["DISCFG_FUZZ"] == "1" {
    // No module can import a program: what reads events is a library here, in place of the function.
    package.targets.removeAll { $0.name == "discfg-lambda" || $0.isTest }
    package.products.removeAll { $0.name == "discfg-lambda" }
    package.targets += [
        .target(
            name: "LambdaEvents",
            dependencies: ["DiscfgCore", .product(name: "HTTPTypes", package: "swift-http-types")],
            path: "Sources/discfg-lambda/Events"),
        .executableTarget(
            name: "discfg-fuzz",
            dependencies: [
                "AWSClient", "DiscfgCore", "DiscfgDynamoDB", "DiscfgEtcd", "DiscfgEtcdGRPC", "DiscfgFormats",
                "DiscfgHTTP", "DiscfgYAML", "LambdaEvents",
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ],
            path: "Tests/Fuzz", sources: ["Decoders.swift"]),
    ]
}

// One set of rules for every target: what is an error in one room is an error in all of them.
var settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
]

// CI sets the variable; a developer's own build prints warnings only, so that half-done work still runs.
if Context.environment["DISCFG_WARNINGS_AS_ERRORS"] == "1" {
    settings.append(.treatAllWarnings(as: .error))
}

// A build with planted defects, of which the environment variable DISCFG_MUTANT chooses one at run time: `make mutants`.
if Context.environment["DISCFG_MUTANTS"] == "1" {
    settings.append(.define("DISCFG_MUTANTS"))
}

for target in package.targets where target.name != "CGlibcShim" {
    target.swiftSettings = settings
}
