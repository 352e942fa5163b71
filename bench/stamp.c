/* Appends the time of its first instructions to the given file, as one line. Linked statically, so
   that no loader runs before them. With a second argument it then sleeps until it is killed, as a
   job that can be preempted. */
#include "stamp.h"

int main(int argc, char** argv) {
  if (stamp(argc > 1 ? argv[1] : "/dev/null") != 0) return 1;
  if (argc > 2) pause();
  return 0;
}
