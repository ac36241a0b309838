/* Preloaded into servers and commands: a clock that can be shifted, a disk that can fail, and writes that can be lost.
 *
 * SOAK_CONTROL  a file of three 64-bit numbers, which the harness changes while the process runs:
 *               nanoseconds to add to the wall clock; how the disk fails; how often it did.
 * SOAK_FILES    the folder of the files that fail.
 * SOAK_JOURNAL  a folder for the bytes that unsynced writes replaced. Each write of FILE is first noted in
 *               JOURNAL/FILE, and a sync empties that. After all processes were killed, the harness undoes what is
 *               noted there: what a loss of power does to writes that were never synced.
 *
 * SOAK_LIES     if it is set, syncs keep nothing: the harness must find that.
 *
 * The monotonic clock is not shifted. A write during another process's sync can escape the journal, so a little less
 * is lost than a loss of power might take, never more. Changes of a file's size by ftruncate are not undone.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { HEALTHY = 0, FULL = 1, WRITE_EIO = 2, SYNC_EIO = 3 };

struct control { volatile int64_t clock, disk, failures; };

static struct control none;
static struct control *control = &none;
static char folder[PATH_MAX];
static size_t folder_length;
static const char *journal;
static int lies;

static int (*real_clock_gettime)(clockid_t, struct timespec *);
static int (*real_gettimeofday)(struct timeval *, void *);
static ssize_t (*real_pwrite64)(int, const void *, size_t, off64_t);
static ssize_t (*real_write)(int, const void *, size_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);

__attribute__((constructor)) static void begin(void) {
    real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    real_gettimeofday = dlsym(RTLD_NEXT, "gettimeofday");
    real_pwrite64 = dlsym(RTLD_NEXT, "pwrite64");
    real_write = dlsym(RTLD_NEXT, "write");
    real_fsync = dlsym(RTLD_NEXT, "fsync");
    real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
    const char *path = getenv("SOAK_CONTROL");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd >= 0) {
        void *mapped = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (mapped != MAP_FAILED) control = mapped;
        close(fd);
    }
    const char *files = getenv("SOAK_FILES");
    if (files && realpath(files, folder)) folder_length = strlen(folder);
    journal = getenv("SOAK_JOURNAL");
    lies = getenv("SOAK_LIES") != NULL;
}

int clock_gettime(clockid_t id, struct timespec *moment) {
    if (!real_clock_gettime) real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    int result = real_clock_gettime(id, moment);
    if (result == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) && control->clock) {
        int64_t nanoseconds = moment->tv_nsec + control->clock % 1000000000;
        moment->tv_sec += control->clock / 1000000000;
        if (nanoseconds < 0) { nanoseconds += 1000000000; moment->tv_sec--; }
        if (nanoseconds >= 1000000000) { nanoseconds -= 1000000000; moment->tv_sec++; }
        moment->tv_nsec = nanoseconds;
    }
    return result;
}

int gettimeofday(struct timeval *restrict moment, void *restrict zone) {
    (void)zone;
    struct timespec precise;
    int result = clock_gettime(CLOCK_REALTIME, &precise);
    moment->tv_sec = precise.tv_sec;
    moment->tv_usec = precise.tv_nsec / 1000;
    return result;
}

time_t time(time_t *result) {
    struct timespec moment;
    clock_gettime(CLOCK_REALTIME, &moment);
    if (result) *result = moment.tv_sec;
    return moment.tv_sec;
}

/* The name of an open file below the folder, or NULL. The -shm file is mapped memory, which no sync concerns. */
static const char *name_of(int fd, char *path) {
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (!folder_length || length <= (ssize_t)folder_length) return NULL;
    path[length] = 0;
    if (strncmp(path, folder, folder_length) || path[folder_length] != '/') return NULL;
    const char *name = path + folder_length + 1;
    return strchr(name, '/') || !strstr(name, ".db") || strstr(name, "-shm") ? NULL : name;
}

static int open_journal(const char *name, int flags) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", journal, name);
    return open(path, flags | O_WRONLY | O_CLOEXEC, 0600);
}

/* Notes the bytes that a write replaces: offset, length of the write, size of the file before, the bytes. */
static void note(int fd, const char *name, size_t count, off64_t offset) {
    off64_t size = lseek64(fd, 0, SEEK_END);
    int64_t head[3] = {offset, (int64_t)count, size};
    char *record = malloc(sizeof head + count);
    if (!record) return;
    memcpy(record, head, sizeof head);
    memset(record + sizeof head, 0, count);
    if (offset < size && pread64(fd, record + sizeof head, count, offset) < 0) { free(record); return; }
    int out = open_journal(name, O_CREAT | O_APPEND);
    if (out >= 0) {
        if (real_write(out, record, sizeof head + count) < 0) { /* this write cannot be undone then */ }
        close(out);
    }
    free(record);
}

static int fails(int mode) {
    if (control->disk != mode) return 0;
    __atomic_add_fetch(&control->failures, 1, __ATOMIC_RELAXED);
    return 1;
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
    char path[PATH_MAX];
    const char *name = journal || control->disk ? name_of(fd, path) : NULL;
    if (name) {
        if (fails(FULL)) { errno = ENOSPC; return -1; }
        if (fails(WRITE_EIO)) { errno = EIO; return -1; }
        if (journal) note(fd, name, count, offset);
    }
    return real_pwrite64(fd, bytes, count, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) { return pwrite64(fd, bytes, count, offset); }

/* Empties the journal before the sync is answered; what is written meanwhile by others is forgotten too, see above. */
static int synced(int fd, int (*sync)(int)) {
    char path[PATH_MAX];
    const char *name = journal || control->disk ? name_of(fd, path) : NULL;
    if (name && fails(SYNC_EIO)) { errno = EIO; return -1; }
    int result = sync(fd);
    if (result == 0 && name && journal && !lies) {
        int out = open_journal(name, O_TRUNC);
        if (out >= 0) close(out);
    }
    return result;
}

int fsync(int fd) { return synced(fd, real_fsync); }
int fdatasync(int fd) { return synced(fd, real_fdatasync); }
