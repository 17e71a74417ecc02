// Loaded into PostgreSQL with LD_PRELOAD. Makes its disk full or slow, as long as a file of that name exists in DISK_FAULTS.
// A full disk lets blocks that exist be written again, and refuses to extend files.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static const useconds_t FLUSH_DELAY_US = 500000;

static int has(const char *fault) {
  char path[4096];
  int kept = errno;
  snprintf(path, sizeof path, "%s/%s", getenv("DISK_FAULTS"), fault);
  int found = access(path, F_OK) == 0;
  errno = kept;
  return found;
}

static int is_refused(int file, off_t end) {
  struct stat facts;
  if (!has("full") || fstat(file, &facts) != 0 || end <= facts.st_size) return 0;
  errno = ENOSPC;
  return 1;
}

static off_t length_of(const struct iovec *parts, int count) {
  off_t length = 0;
  for (int part = 0; part < count; part += 1) length += parts[part].iov_len;
  return length;
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t at) {
  ssize_t (*real)(int, const void *, size_t, off_t) = dlsym(RTLD_NEXT, "pwrite");
  return is_refused(file, at + (off_t)length) ? -1 : real(file, bytes, length, at);
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t at) {
  ssize_t (*real)(int, const struct iovec *, int, off_t) = dlsym(RTLD_NEXT, "pwritev");
  return is_refused(file, at + length_of(parts, count)) ? -1 : real(file, parts, count, at);
}

int posix_fallocate(int file, off_t at, off_t length) {
  int (*real)(int, off_t, off_t) = dlsym(RTLD_NEXT, "posix_fallocate");
  return is_refused(file, at + length) ? ENOSPC : real(file, at, length);
}

int fdatasync(int file) {
  int (*real)(int) = dlsym(RTLD_NEXT, "fdatasync");
  if (has("slow")) usleep(FLUSH_DELAY_US);
  return real(file);
}

int fsync(int file) {
  int (*real)(int) = dlsym(RTLD_NEXT, "fsync");
  if (has("slow")) usleep(FLUSH_DELAY_US);
  return real(file);
}
