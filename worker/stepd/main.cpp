// cox-stepd JOB.ATTEMPT CPUS
//     the step daemon of one attempt on this node. Only its supervisor starts it: descriptor 3 is
//     the connection to the supervisor, and the environment has the attempt's mark. CPUS: the CPUs
//     for bound tasks, or why none could be claimed.
#include <fcntl.h>
#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "common/io/descriptor_limit.h"
#include "common/io/log.h"
#include "common/job/supervisor_folder.h"
#include "worker/stepd/io/stepd.h"

int main(int count, char** words) {
  constexpr int socket = 3;
  constexpr int exit_usage = 64;
  const char* mark = std::getenv(cox::supervisor_folder::variable_socket);
  if (count != 3 || mark == nullptr || ::fcntl(socket, F_SETFD, FD_CLOEXEC) != 0) {
    std::fprintf(stderr, "cox-stepd is started only by cox-supervisor\n");
    return exit_usage;
  }
  cox::open_log("stepd", "", {cox::LogLevel::Warning, cox::LogFormat::Text});
  cox::raise_descriptor_limit();
  const std::string path = mark;
  cox::Stepd daemon(cox::Descriptor(socket), path.substr(0, path.rfind('/')), words[2]);
  // Signals that end a login session must not end the tasks. They end by SIGKILL or with the
  // supervisor.
  for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGPIPE}) ::signal(signal, SIG_IGN);
  daemon.run();
  return 0;
}
