#if os(Linux)
import Foundation
import Testing

/// What lets the release binaries start with an older glibc, linked as Scripts/glibc-shim.sh says.
@Suite("glibc shim")
struct GlibcShimTests {
    private static let program = """
        #include <cmath>
        #include <condition_variable>
        #include <cstdio>
        #include <mutex>
        #include <thread>
        extern "C" float hypotf(float, float);
        int main(int count, char **) {
            std::mutex mutex;
            std::condition_variable variable;
            bool done = false;
            std::thread other([&] { std::lock_guard<std::mutex> guard(mutex); done = true; variable.notify_all(); });
            std::unique_lock<std::mutex> lock(mutex);
            while (!done) variable.wait(lock);
            other.join();
            std::printf("%g %g\\n", hypot(3.0 * count, 4), (double)hypotf(6.0f * count, 8));
        }

        """

    @Test("A program linked with the shim works and needs no newer library")
    func works() async throws {
        try await Sandbox.with { sandbox in
            try sandbox.write("main.cpp", Self.program)
            let checkout = Sandbox.checkout.path
            let script = """
                set -e
                source '\(checkout)/Scripts/glibc-shim.sh'
                options=()
                for option in "${glibc_shim[@]}"; do [ "$option" = -Xlinker ] || options+=("-Wl,$option"); done
                clang -c '\(checkout)/Sources/CGlibcShim/hypot.c' -o hypot.o
                clang++ -fno-builtin main.cpp '\(checkout)/Sources/CGlibcShim/wait.cpp' hypot.o "${options[@]}" -pthread -o main
                ./main
                '\(checkout)/Scripts/check-glibc.sh' main
                """
            let result = try await sandbox.bash(script)
            #expect(result.status == 0 && result.output == "5 10\n", "\(result.output)\(result.error)")
        }
    }
}
#endif
