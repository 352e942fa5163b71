// cox-stepd JOB.ATTEMPT CPUS
//     the step daemon of one attempt on this node: started by its supervisor, which is at the other
//     end of descriptor 3 and whose mark is in the environment. CPUS are those of the machine that
//     are the attempt's, for tasks that are bound; or why there are none. Not for people.
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
    std::fprintf(stderr, "cox-stepd is started by cox-supervisor alone\n");
    return exit_usage;
  }
  cox::open_log("stepd", "", {cox::LogLevel::Warning, cox::LogFormat::Text});
  cox::raise_descriptor_limit();
  const std::string path = mark;
  cox::Stepd daemon(cox::Descriptor(socket), path.substr(0, path.rfind('/')), words[2]);
  // What ends a login session must not end the tasks; SIGKILL does, and the supervisor's end.
  for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGPIPE}) ::signal(signal, SIG_IGN);
  daemon.run();
  return 0;
}
