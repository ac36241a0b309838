# Sourced by the scripts that build what people and AWS run: options with which the linker sends calls to CGlibcShim, so that the
# program starts where glibc and libstdc++ are older than on the machine that builds it.
# shellcheck shell=bash disable=SC2034
glibc_shim=(
    -Xlinker --wrap=hypot -Xlinker --wrap=hypotf
    -Xlinker --wrap=_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE
)
