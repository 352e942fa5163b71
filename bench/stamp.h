// Appends the time of the benchmark's clock to a file, as a line of nanoseconds. For the C programs
// that run as jobs.
#pragma once
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int stamp(const char* path) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  char line[64];
  const int size = snprintf(line, sizeof line, "%lld%09ld\n", (long long)now.tv_sec, now.tv_nsec);
  const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
  return fd >= 0 && write(fd, line, (size_t)size) == size ? 0 : -1;
}
