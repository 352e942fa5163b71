/* Writes when its first instructions ran, as one line appended to the file it is given. Linked
   statically, so that no loader stands before it. With a second argument it then sleeps until it
   is killed: a job that can be preempted. */
#include "stamp.h"

int main(int argc, char** argv) {
  if (stamp(argc > 1 ? argv[1] : "/dev/null") != 0) return 1;
  if (argc > 2) pause();
  return 0;
}
