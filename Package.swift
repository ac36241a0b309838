// swift-tools-version: 6.2

import PackageDescription

// MARK: Modules of other packages

extension Target.Dependency {
    static let argumentParser = product(name: "ArgumentParser", package: "swift-argument-parser")
    static let asyncHTTPClient = product(name: "AsyncHTTPClient", package: "async-http-client")
    static let coreMetrics = product(name: "CoreMetrics", package: "swift-metrics")
    static let crypto = product(name: "Crypto", package: "swift-crypto")
    static let grdb = product(name: "GRDB", package: "GRDB.swift")
    static let grdbSQLite = product(name: "GRDBSQLite", package: "GRDB.swift")
    static let httpTypes = product(name: "HTTPTypes", package: "swift-http-types")
    static let hummingbird = product(name: "Hummingbird", package: "hummingbird")
    static let hummingbirdCore = product(name: "HummingbirdCore", package: "hummingbird")
    static let hummingbirdTesting = product(name: "HummingbirdTesting", package: "hummingbird")
    static let inMemoryLogging = product(name: "InMemoryLogging", package: "swift-log")
    static let logging = product(name: "Logging", package: "swift-log")
    static let metrics = product(name: "Metrics", package: "swift-metrics")
    static let nioCore = product(name: "NIOCore", package: "swift-nio")
    static let nioEmbedded = product(name: "NIOEmbedded", package: "swift-nio")
    static let nioHPACK = product(name: "NIOHPACK", package: "swift-nio-http2")
    static let nioHTTP2 = product(name: "NIOHTTP2", package: "swift-nio-http2")
    static let nioHTTP1 = product(name: "NIOHTTP1", package: "swift-nio")
    static let nioPosix = product(name: "NIOPosix", package: "swift-nio")
    static let rainbow = product(name: "Rainbow", package: "Rainbow")
    static let serviceLifecycle = product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
    static let serviceLifecycleTestKit = product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle")
    static let subprocess = product(name: "Subprocess", package: "swift-subprocess")
    static let systemPackage = product(name: "SystemPackage", package: "swift-system")
    static let unixSignals = product(name: "UnixSignals", package: "swift-service-lifecycle")
    static let yams = product(name: "Yams", package: "Yams")
}

// Dependencies that only etcd's gRPC API needs. A build without the trait has none of them.
let forEtcdGRPC = TargetDependencyCondition.when(traits: ["EtcdGRPC"])
let etcdGRPC = Target.Dependency.target(name: "DiscfgEtcdGRPC", condition: forEtcdGRPC)
let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf", condition: forEtcdGRPC)
// A client of another project, for tests only.
let grpcClient: [Target.Dependency] = [
    .product(name: "GRPCCore", package: "grpc-swift-2", condition: forEtcdGRPC),
    .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport", condition: forEtcdGRPC),
    .product(name: "GRPCProtobuf", package: "grpc-swift-protobuf", condition: forEtcdGRPC),
]

// MARK: Kinds of products and targets

func library(_ name: String) -> Product { .library(name: name, targets: [name]) }

/// A program in `Examples`, which uses DynamoDBPatterns as any other package could.
func example(_ name: String, with dependencies: [Target.Dependency] = []) -> Target {
    .executableTarget(
        name: name, dependencies: ["AWSClient", "DynamoDBPatterns"] + dependencies, path: "Examples/\(name)")
}

/// A module in `Libraries`, which imports no module of discfg.
func independent(_ name: String, with dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Libraries/\(name)/Sources")
}

/// The tests of a target, with what they need in addition to that target.
func tests(
    of target: String, in path: String? = nil, with dependencies: [Target.Dependency], exclude: [String] = [],
    resources: [Resource]? = nil
) -> Target {
    .testTarget(
        name: "\(target)Tests", dependencies: [.byName(name: target)] + dependencies, path: path, exclude: exclude,
        resources: resources)
}

/// The tests of a module in `Libraries`.
func tests(ofIndependent name: String, with dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    tests(of: name, in: "Libraries/\(name)/Tests", with: dependencies, exclude: exclude)
}

// MARK: The package

let package = Package(
    name: "discfg",
    platforms: [.macOS(.v15)],
    products: [
        library("DiscfgModel"),
        library("DiscfgCore"),
        library("DiscfgFormats"),
        library("DiscfgYAML"),
        library("DiscfgNotifications"),
        library("DiscfgSQLite"),
        library("DiscfgDynamoDB"),
        library("DiscfgEtcd"),
        library("DiscfgEtcdGRPC"),
        library("AWSClient"),
        library("GRPCServing"),
        library("DynamoDBPatterns"),
        library("DynamoDBPatternsTesting"),
        library("LambdaRuntime"),
        library("DiscfgHTTP"),
        library("DiscfgClient"),
        library("DiscfgRemote"),
        library("DiscfgTestSupport"),
        .executable(name: "discfg", targets: ["discfg"]),
        .executable(name: "discfg-lambda", targets: ["discfg-lambda"]),
    ],
    traits: [
        .trait(name: "EtcdGRPC", description: "etcd's v3 API over gRPC."),
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
        // Without the traits that need the whole of Foundation, which would double the size of discfg-lambda.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/onevcat/Rainbow", from: "4.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    ],
    targets: [
        independent(
            "AWSClient",
            with: [
                .asyncHTTPClient, .crypto, .logging, .nioCore, .nioHTTP1, .nioPosix, .subprocess, .systemPackage,
            ]
        ),
        independent("AWSTestSupport", with: [.nioCore, .nioHTTP1, .nioPosix, .subprocess, .systemPackage]),
        independent("DynamoDBPatterns", with: ["AWSClient", .coreMetrics, .logging, .serviceLifecycle]),
        independent("DynamoDBPatternsTesting", with: ["AWSClient", "DynamoDBPatterns"]),
        independent("GRPCServing", with: [.nioCore, .nioHPACK, .nioHTTP2]),
        independent("LambdaRuntime", with: [.logging, .nioCore, .nioHTTP1, .nioPosix]),

        .target(name: "DiscfgModel"),
        .target(
            name: "DiscfgCore", dependencies: ["DiscfgModel", .coreMetrics, .logging, .metrics, .serviceLifecycle]),
        .target(name: "DiscfgFormats", dependencies: ["DiscfgCore"]),
        // Separate from the other formats because its parser needs the whole of Foundation.
        .target(name: "DiscfgYAML", dependencies: ["DiscfgCore", "DiscfgFormats", .yams]),
        .target(name: "DiscfgSQLite", dependencies: ["DiscfgCore", .crypto, .grdb, .grdbSQLite, .logging]),
        .target(
            name: "DiscfgSimulation",
            dependencies: [
                "AWSClient", "DiscfgCore", "DiscfgDynamoDB", "DiscfgDynamoDBTestSupport", "DiscfgEtcd",
                "DynamoDBPatterns", "DynamoDBPatternsTesting",
                .logging,
            ]
        ),
        .target(name: "DiscfgDynamoDB", dependencies: ["AWSClient", "DiscfgCore", .crypto]),
        .target(
            name: "DiscfgDynamoDBTestSupport",
            dependencies: ["AWSClient", "DiscfgDynamoDB", "DynamoDBPatterns", "DynamoDBPatternsTesting"]
        ),
        .target(
            name: "DiscfgNotifications",
            dependencies: [
                "AWSClient", "DiscfgCore",
                .asyncHTTPClient, .crypto, .logging, .nioCore, .nioHTTP1, .nioPosix, .serviceLifecycle,
            ]
        ),
        .target(name: "DiscfgEtcd", dependencies: ["DiscfgCore", .crypto, .logging]),
        .target(
            name: "DiscfgEtcdGRPC",
            dependencies: [
                "DiscfgCore", "DiscfgEtcd", "GRPCServing",
                .logging, .nioCore, .nioHPACK, protobuf,
            ]
        ),
        .target(
            name: "DiscfgHTTP",
            dependencies: [
                "DiscfgCore", "DiscfgEtcd", "DiscfgFormats",
                .coreMetrics, .httpTypes, .hummingbird, .logging, .metrics, .nioCore, .nioHTTP1, .serviceLifecycle,
            ],
            resources: [.embedInCode("openapi.yaml")]
        ),
        .target(
            name: "DiscfgClient",
            dependencies: [
                "DiscfgModel",
                .asyncHTTPClient, .logging, .nioCore, .nioHTTP1, .nioPosix,
            ]
        ),
        .target(name: "DiscfgRemote", dependencies: ["DiscfgClient", "DiscfgCore", .logging]),
        .target(name: "DiscfgTestSupport", dependencies: ["DiscfgCore", "DiscfgEtcd", .logging]),
        // Lets discfg and discfg-lambda start with a glibc that is older than the one of the build.
        .target(name: "CGlibcShim"),

        .executableTarget(
            name: "discfg",
            dependencies: [
                "AWSClient", "CGlibcShim", "DiscfgClient", "DiscfgCore", "DiscfgDynamoDB", "DiscfgEtcd",
                etcdGRPC, "DiscfgFormats", "DiscfgHTTP", "DiscfgNotifications", "DiscfgRemote", "DiscfgSQLite",
                "DiscfgYAML", "GRPCServing",
                .argumentParser, .hummingbird, .hummingbirdCore, .logging, .metrics, .nioCore, .rainbow,
                .serviceLifecycle, .subprocess, .systemPackage, .unixSignals,
            ]
        ),
        .executableTarget(
            name: "discfg-lambda",
            dependencies: [
                "AWSClient", "CGlibcShim", "DiscfgCore", "DiscfgDynamoDB", "DiscfgEtcd", "DiscfgHTTP",
                "DiscfgNotifications", "LambdaRuntime",
                .httpTypes, .hummingbird, .logging, .metrics, .nioCore, .nioPosix,
            ]
        ),
        .executableTarget(
            name: "dynamodb-benchmark",
            dependencies: [
                "AWSClient", "AWSTestSupport", "DiscfgCore", "DiscfgDynamoDB",
                .logging, .subprocess, .systemPackage,
            ],
            path: "Benchmarks/DynamoDB"
        ),
        .executableTarget(
            name: "patterns-benchmark",
            dependencies: [
                "AWSClient", "AWSTestSupport", "DynamoDBPatterns", "DynamoDBPatternsTesting",
                .logging,
            ],
            path: "Benchmarks/Patterns"
        ),
        example("audit-trail"),
        example("click-alert"),
        example("hourly-report"),
        example("order-saga", with: [.logging, .serviceLifecycle, .unixSignals]),
        example("seat-booking"),
        example("welcome-mail"),

        tests(of: "DiscfgModel", with: ["DiscfgTestSupport"]),
        tests(of: "DiscfgCore", with: ["DiscfgTestSupport"]),
        tests(of: "DiscfgSimulation", with: ["DiscfgCore", "DynamoDBPatternsTesting"]),
        tests(of: "DiscfgFormats", with: ["DiscfgTestSupport", "DiscfgYAML"], resources: [.copy("Fixtures")]),
        tests(
            of: "DiscfgNotifications",
            with: [
                "AWSClient", "AWSTestSupport", "DiscfgCore", "DiscfgTestSupport",
                .crypto, .logging, .nioCore, .nioHTTP1, .nioPosix, .serviceLifecycle,
            ]
        ),
        tests(ofIndependent: "GRPCServing", with: [.nioCore, .nioHPACK, .nioHTTP2, .nioPosix]),
        tests(ofIndependent: "LambdaRuntime", with: [.logging, .nioCore, .nioHTTP1, .nioPosix]),
        tests(
            of: "discfg-lambda",
            with: [
                "AWSClient", "DiscfgCore", "DiscfgEtcd", "DiscfgHTTP", "DiscfgNotifications", "DiscfgTestSupport",
                "LambdaRuntime",
                .httpTypes, .hummingbird, .logging, .nioCore,
            ]
        ),
        tests(of: "DiscfgSQLite", with: ["DiscfgTestSupport", .grdb, .logging]),
        tests(
            ofIndependent: "AWSClient", with: ["AWSTestSupport", .logging, .nioCore, .nioHTTP1, .nioPosix],
            exclude: ["Fixtures"]),
        tests(ofIndependent: "AWSTestSupport", with: [.nioCore, .nioHTTP1, .nioPosix, .subprocess, .systemPackage]),
        tests(
            ofIndependent: "DynamoDBPatterns",
            with: [
                "AWSClient", "AWSTestSupport", "DynamoDBPatternsTesting", "LambdaRuntime",
                .coreMetrics, .inMemoryLogging, .logging, .serviceLifecycle, .serviceLifecycleTestKit, .unixSignals,
            ]
        ),
        tests(ofIndependent: "DynamoDBPatternsTesting", with: ["AWSClient", "AWSTestSupport", "DynamoDBPatterns"]),
        tests(
            of: "DiscfgDynamoDB",
            with: [
                "AWSClient", "AWSTestSupport", "DiscfgDynamoDBTestSupport", "DiscfgTestSupport", "DynamoDBPatterns",
                "DynamoDBPatternsTesting",
                .logging,
            ]
        ),
        tests(of: "DiscfgEtcd", with: ["DiscfgCore", "DiscfgTestSupport", .logging]),
        tests(
            of: "DiscfgEtcdGRPC",
            with: [
                "DiscfgCore", "DiscfgEtcd", "DiscfgTestSupport", "GRPCServing",
                .logging, .nioCore, .nioHPACK, .nioHTTP2, .nioPosix, protobuf, .serviceLifecycle,
                .serviceLifecycleTestKit,
            ] + grpcClient
        ),
        tests(
            of: "DiscfgHTTP",
            with: [
                "DiscfgEtcd", "DiscfgFormats", "DiscfgTestSupport", "DiscfgYAML",
                .asyncHTTPClient, .httpTypes, .hummingbird, .hummingbirdTesting, .logging, .nioCore, .nioHTTP1,
                .nioPosix,
            ]
        ),
        tests(
            of: "DiscfgClient",
            with: [
                "AWSTestSupport", "DiscfgCore", "DiscfgHTTP", "DiscfgModel", "DiscfgTestSupport",
                .hummingbird, .hummingbirdTesting, .logging, .nioCore, .nioPosix,
            ]
        ),
        tests(
            of: "DiscfgRemote",
            with: [
                "DiscfgCore", "DiscfgEtcd", "DiscfgHTTP", "DiscfgTestSupport",
                .asyncHTTPClient, .httpTypes, .hummingbird, .logging, .nioCore, .nioHTTP1,
            ]
        ),
        tests(
            of: "discfg",
            with: [
                "AWSClient", "DiscfgCore", "DiscfgDynamoDB", "DiscfgDynamoDBTestSupport", etcdGRPC, "DiscfgFormats",
                "DiscfgHTTP", "DiscfgTestSupport", "DynamoDBPatternsTesting",
                .argumentParser, .logging, .nioCore, .nioEmbedded, .nioPosix,
            ]
        ),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "audit-trail", "AWSClient", "AWSTestSupport", "click-alert", "discfg", "discfg-lambda", "DiscfgCore",
                "DiscfgSQLite", "DynamoDBPatterns", "hourly-report", "order-saga", "seat-booking", "welcome-mail",
                .asyncHTTPClient, .grdb, .nioCore, .nioHTTP1, .subprocess, .systemPackage,
            ],
            exclude: ["Etcd/Programs", "Deploy"]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// For Scripts/fuzz.sh: a program that runs libFuzzer.
if Context.environment["DISCFG_FUZZ"] == "1" {
    // A module cannot import a program, so the code of discfg-lambda that reads events is a library here.
    package.targets.removeAll { $0.name == "discfg-lambda" || $0.isTest }
    package.products.removeAll { $0.name == "discfg-lambda" }
    package.targets += [
        .target(
            name: "LambdaEvents", dependencies: ["DiscfgCore", .httpTypes], path: "Sources/discfg-lambda/Events"),
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

// The same settings apply to every target.
var settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
]

// CI sets the variable. Without it, warnings do not stop a build, so that unfinished work can run.
if Context.environment["DISCFG_WARNINGS_AS_ERRORS"] == "1" {
    settings.append(.treatAllWarnings(as: .error))
}

// For `make mutants`: a build with planted defects. At run time the environment variable DISCFG_MUTANT selects one of them.
if Context.environment["DISCFG_MUTANTS"] == "1" {
    settings.append(.define("DISCFG_MUTANTS"))
}

for target in package.targets where target.name != "CGlibcShim" {
    target.swiftSettings = settings
}
