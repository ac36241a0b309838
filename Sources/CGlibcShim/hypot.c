// hypot and hypotf got new versions in glibc 2.35, which only set errno otherwise. A program that is linked with that glibc
// asks for the new versions, and does not start with an older one, as on Amazon Linux 2023. With the linker's options
// --wrap=hypot and --wrap=hypotf, which Scripts/glibc-shim.sh lists, calls come here. hypotl has one version everywhere. An
// older version of hypot cannot be called by name (.symver): the linker wraps that reference too, and the call never ends.
#if defined(__linux__)
#include <math.h>

double __wrap_hypot(double x, double y);
float __wrap_hypotf(float x, float y);

double __wrap_hypot(double x, double y) { return (double)hypotl(x, y); }
float __wrap_hypotf(float x, float y) { return (float)hypotl(x, y); }
#endif
