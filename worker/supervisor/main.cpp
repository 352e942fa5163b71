// cox-supervisor FOLDER [LOCK CONNECTION]
//     supervises the attempt whose folder this is. LOCK and CONNECTION are descriptors that the
//     starting worker leaves open: the folder's lock, held, and a socket to the worker.
// cox-supervisor --remove-checkpoint JOB_DIR ATTEMPT STEP
//     removes a pruned checkpoint's files; the worker has it done here since it may take long.
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "common/io/descriptor_limit.h"
#include "common/supervisor_folder.h"
#include "worker/supervisor/io/descriptor.h"
#include "worker/supervisor/io/files.h"
#include "worker/supervisor/io/folder_lock.h"
#include "worker/supervisor/io/supervisor.h"

namespace {

constexpr int exit_usage = 64;

int fail(const cox::Refusal& refusal) {
  std::fprintf(stderr, "cox-supervisor: %s\n", refusal.fact.c_str());
  return 1;
}

cox::Descriptor inherited(const char* number) {
  const int fd = std::atoi(number);
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  return cox::Descriptor(fd);
}

int remove_checkpoint(char** words) {
  const cox::AttemptNumber attempt(std::atoi(words[1]));
  const auto failure = cox::remove_checkpoint_files(words[0], attempt, std::atoll(words[2]));
  return failure ? fail(*failure) : 0;
}

int supervise(const std::string& folder, cox::Descriptor lock, cox::Descriptor worker) {
  // What ends a login session or a service must not end the ranks; SIGKILL does.
  for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGPIPE}) ::signal(signal, SIG_IGN);
  ::setsid();  // the worker has done it already, as a rule
  if (!lock.is_open()) {
    auto taken = cox::lock_folder(folder);
    if (!taken) return fail(taken.refusal());
    lock = std::move(*taken);
  }
  // Nothing twice: a folder with a status has had its supervisor.
  const std::string status = folder + "/" + cox::supervisor_folder::status_file;
  if (::access(status.c_str(), F_OK) == 0) return fail({folder + ": was supervised before", ""});
  auto supervisor = cox::Supervisor::start(folder, std::move(worker));
  if (!supervisor) return fail(supervisor.refusal());
  supervisor->run();
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::string first = count > 1 ? words[1] : "";
  if (count == 5 && first == "--remove-checkpoint") return remove_checkpoint(words + 2);
  if ((count != 2 && count != 4) || !first.starts_with('/')) {
    std::fprintf(stderr, "usage: cox-supervisor /FOLDER [LOCK CONNECTION]\n");
    return exit_usage;
  }
  cox::raise_descriptor_limit();
  if (count == 2) return supervise(first, cox::Descriptor(), cox::Descriptor());
  return supervise(first, inherited(words[2]), inherited(words[3]));
}
