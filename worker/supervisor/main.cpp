// cox-supervisor --serve CONNECTION
//     serves a worker over this inherited descriptor: forks a supervisor for each attempt that
//     the worker sends.
// cox-supervisor --remove-checkpoint JOB_DIR ATTEMPT STEP
//     removes a pruned checkpoint's files, in a process of its own because it may take long.
//     STEP -1: removes the folders of the attempt and of the job if they are empty.
// cox-supervisor --verify-checkpoint UID GID FOLDER RANKS IDENTITY
//     becomes this user, reads what RANKS ranks saved in FOLDER (0: all that have a manifest), and
//     prints what is wrong with it.
// cox-supervisor --run-epilog FOLDER
//     runs the epilog of an attempt whose supervisor was lost. FOLDER: that supervisor's folder.
// cox-supervisor --read-logs CONNECTION UID GID
//     becomes this user and reads output files for the worker at the other end of the descriptor.
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "common/io/descriptor_limit.h"
#include "common/job/supervisor_folder.h"
#include "worker/supervisor/io/child.h"
#include "worker/supervisor/io/epilog_of_lost.h"
#include "worker/supervisor/io/files/descriptor.h"
#include "worker/supervisor/io/files/files.h"
#include "worker/supervisor/io/files/seal.h"
#include "worker/supervisor/io/fork_server.h"
#include "worker/supervisor/io/log_reader.h"
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
  const std::int64_t step = std::atoll(words[2]);
  if (step < 0) {
    cox::remove_empty_folders(words[0], attempt);
    return 0;
  }
  const auto failure = cox::remove_checkpoint_files(words[0], attempt, step);
  return failure ? fail(*failure) : 0;
}

int print(const cox::Refusal& why, int exit_code) {
  std::printf("%s\n", why.fact.c_str());
  return exit_code;
}

// Verifies a checkpoint as the job's user, and prints what is wrong with it.
int verify_checkpoint(char** words) {
  const auto uid = static_cast<uid_t>(std::strtoul(words[0], nullptr, 10));
  const auto gid = static_cast<gid_t>(std::strtoul(words[1], nullptr, 10));
  if (!cox::become_user(uid, gid)) return fail({"cannot become the job's user", ""});
  std::vector<std::int32_t> ranks(std::strtoul(words[3], nullptr, 10));
  std::iota(ranks.begin(), ranks.end(), 0);
  if (ranks.empty()) {
    auto sealed = cox::sealed_ranks(words[2]);
    if (!sealed) return print(sealed.refusal(), 1);
    ranks = std::move(*sealed);
  }
  const auto fault = cox::verify(words[2], ranks, words[4], 1);
  if (!fault) return 0;
  const bool differs = fault->kind == cox::ResumeFault::Differs;
  return print(fault->why, differs ? cox::supervisor_folder::exit_differs : 1);
}

int read_logs(char** words) {
  const auto uid = static_cast<uid_t>(std::strtoul(words[1], nullptr, 10));
  const auto gid = static_cast<gid_t>(std::strtoul(words[2], nullptr, 10));
  return cox::serve_log_reads(inherited(words[0]), uid, gid);
}

// Overwrites the process's arguments, so that ps shows the attempt after the program's name, if
// there is room.
void show_as(const std::string& folder, char** words, char* end) {
  const std::string attempt = folder.substr(folder.rfind('/') + 1);
  const auto room = static_cast<std::size_t>(end - words[1]);
  std::memset(words[1], 0, room);
  std::memcpy(words[1], attempt.data(), std::min(attempt.size(), room));
}

int supervise(cox::Beginning beginning) {
  // Signals that end a login session or a service must not end the ranks. SIGKILL still does.
  for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGPIPE}) ::signal(signal, SIG_IGN);
  ::setsid();
  // If the folder has a status, it has had a supervisor before: its ranks must not start twice.
  const std::string status = beginning.folder + "/" + cox::supervisor_folder::status_file;
  if (::access(status.c_str(), F_OK) == 0)
    return fail({beginning.folder + ": this attempt has had a supervisor already", ""});
  auto supervisor = cox::Supervisor::start(beginning.folder, std::move(beginning.lock),
                                           std::move(beginning.worker));
  if (!supervisor) return fail(supervisor.refusal());
  supervisor->run();
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::string first = count > 1 ? words[1] : "";
  if (count == 5 && first == "--remove-checkpoint") return remove_checkpoint(words + 2);
  if (count == 7 && first == "--verify-checkpoint") return verify_checkpoint(words + 2);
  if (count == 5 && first == "--read-logs") return read_logs(words + 2);
  if (count == 3 && first == "--run-epilog") return cox::run_epilog_of_lost(words[2]);
  if (count != 3 || first != "--serve") {
    std::fprintf(stderr, "usage: cox-supervisor --serve CONNECTION\n");
    return exit_usage;
  }
  cox::raise_descriptor_limit();
  auto beginning = cox::serve_forks(inherited(words[2]));
  if (beginning) show_as(beginning->folder, words, words[2] + std::strlen(words[2]));
  return beginning ? supervise(std::move(*beginning)) : 0;
}
