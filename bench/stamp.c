/* Writes when its first instructions ran, on the clock the benchmark reads, as one line appended to
   the file it is given. Linked statically, so that no loader stands before it. With a second
   argument it then sleeps until it is killed: a job that can be preempted. */
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char** argv) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  char line[64];
  const int size = snprintf(line, sizeof line, "%lld%09ld\n", (long long)now.tv_sec, now.tv_nsec);
  const int fd = open(argc > 1 ? argv[1] : "/dev/null", O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (fd < 0 || write(fd, line, (size_t)size) != size) return 1;
  if (argc > 2) pause();
  return 0;
}
