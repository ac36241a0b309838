import Synchronization

/// What collecting has to know of a bucket.
struct BucketPlace: Sendable {
    /// As it began, which is what its head says.
    var bucket: TimeBucket
    var shards: Int
    /// Whether it was not closed yet when its head was looked at.
    var isOpen: Bool
}

/// The buckets whose heads this process has seen, so that each is asked for once.
final class KnownBuckets: Sendable {
    private static let limit = 64
    private let places = Mutex<[Int64: BucketPlace]>([:])

    func place(startingAt start: Int64) -> BucketPlace? { places.withLock { $0[start] } }

    /// Keeps a place; where there are too many, the one that is farthest from it is given up.
    func keep(_ place: BucketPlace) {
        places.withLock { places in
            places[place.bucket.startMilliseconds] = place
            let start = place.bucket.startMilliseconds
            guard places.count > Self.limit, let farthest = places.keys.max(by: { abs($0 - start) < abs($1 - start) })
            else { return }
            places[farthest] = nil
        }
    }

    /// Keeps that a bucket is closed, which is for ever.
    func close(_ bucket: TimeBucket) {
        places.withLock { $0[bucket.startMilliseconds]?.isOpen = false }
    }
}
