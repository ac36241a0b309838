// hypot and hypotf got new versions in glibc 2.35, which only set errno otherwise. A program linked there asks for those, and
// does not start where glibc is older, as on Amazon Linux 2023. With the linker's options --wrap=hypot and --wrap=hypotf,
// which Scripts/build-lambda.sh gives, calls come here, and ask for the versions that every glibc has.
#if defined(__linux__)
#include <features.h>
#endif

#if defined(__linux__) && defined(__GLIBC__)

#if defined(__x86_64__)
#define FIRST_VERSION "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define FIRST_VERSION "GLIBC_2.17"
#endif

#ifdef FIRST_VERSION
double first_hypot(double x, double y);
float first_hypotf(float x, float y);
__asm__(".symver first_hypot, hypot@" FIRST_VERSION);
__asm__(".symver first_hypotf, hypotf@" FIRST_VERSION);

double __wrap_hypot(double x, double y);
float __wrap_hypotf(float x, float y);

double __wrap_hypot(double x, double y) { return first_hypot(x, y); }
float __wrap_hypotf(float x, float y) { return first_hypotf(x, y); }
#endif

#endif
