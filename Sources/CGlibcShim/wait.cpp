// std::condition_variable::wait got a new version in GCC 12's library (GLIBCXX_3.4.30), which Foundation asks for and Amazon
// Linux 2023 does not have. With the linker's option --wrap calls come here, and do what the library does in each version.
#if defined(__linux__)
#include <condition_variable>
#include <mutex>
#include <pthread.h>

extern "C" void __wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(
    std::condition_variable *variable, std::unique_lock<std::mutex> *lock)
{
    pthread_cond_wait(variable->native_handle(), lock->mutex()->native_handle());
}
#endif
