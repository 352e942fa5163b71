/* A job with a state of BYTES bytes: saver STAMPS BYTES. If it has saved a state, it reads it back.
   Then it appends the time to the file STAMPS: from then on it would do useful work. On SIGUSR1 it
   saves and exits with 75, "saved, run me again". Linked statically, like stamp.c. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "stamp.h"

static int read_state(const char* folder, char* state, size_t bytes) {
  char path[4096];
  snprintf(path, sizeof path, "%s/rank-0", folder);
  const int fd = open(path, O_RDONLY);
  if (fd < 0) return -1;
  size_t done = 0;
  for (ssize_t got = 1; got > 0; done += (size_t)got)
    if ((got = read(fd, state + done, bytes - done)) < 0) return -1;
  return done == bytes ? 0 : -1;
}

static int save_state(const char* folder, long step, const char* state, size_t bytes) {
  char path[4096];
  snprintf(path, sizeof path, "%s/step-%ld", folder, step);
  if (mkdir(path, 0755) != 0) return -1;
  strncat(path, "/rank-0", sizeof path - strlen(path) - 1);
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
  if (fd < 0) return -1;
  for (size_t done = 0; done < bytes;) {
    const ssize_t put = write(fd, state + done, bytes - done);
    if (put <= 0) return -1;
    done += (size_t)put;
  }
  return close(fd);
}

int main(int argc, char** argv) {
  sigset_t asked;
  sigemptyset(&asked);
  sigaddset(&asked, SIGUSR1);
  sigprocmask(SIG_BLOCK, &asked, NULL);
  if (argc != 3) return 2;
  const size_t bytes = strtoul(argv[2], NULL, 10);
  char* state = malloc(bytes);
  if (state == NULL) return 1;
  long step = 0; /* the last one that is done */
  const char* saved = getenv("COX_RESUME_FROM");
  if (saved != NULL) {
    if (read_state(saved, state, bytes) != 0) return 1;
    step = strtol(strrchr(saved, '-') + 1, NULL, 10);
  } else {
    memset(state, 'x', bytes);
  }
  if (stamp(argv[1]) != 0) return 1;
  int signal_number;
  sigwait(&asked, &signal_number);
  const char* folder = getenv("COX_CHECKPOINT_DIR");
  if (folder == NULL || save_state(folder, step + 1, state, bytes) != 0) return 1;
  return 75;
}
