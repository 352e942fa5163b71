// What children of the supervisor and of the step daemon do between fork and exec. The child
// reports a failed start through `report`, a pipe that a successful exec closes. After vfork the
// child shares its parent's memory, so code that runs there allocates nothing and changes no global
// variable.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "common/job/soft_limits.h"
#include "common/job/step.h"

namespace cox {

// Writes the exit code and the text to `report` and ends the child.
[[noreturn]] void fail_start(int report, int exit_code,
                             std::initializer_list<std::string_view> text);

// Opens the file as descriptor `target`, and makes missing folders of an output file. A FIFO
// without a reader is an error: opening it does not block.
void open_as(int report, int target, const std::string& path, int flags);

// Writes to the child's standard error, without blocking. Bytes that the stream does not take at
// once are lost.
void print_error(std::initializer_list<std::string_view> text);

// Working directory of a script or task if its own cannot be entered, as in Slurm.
inline constexpr const char* folder_otherwise = "/tmp";
// Reports with Slurm's text on standard error that `folder` cannot be entered and folder_otherwise
// is used. `error`: errno.
void warn_of_folder(const std::string& folder, int error);

// A command and its environment in the form that exec needs. Made before vfork, so that the child
// allocates nothing. The program is looked up in the PATH of that environment.
class ExecImage {
 public:
  // `variables`: NAME=value each; SLURM_TASK_PID is added.
  ExecImage(std::vector<std::string> words, std::vector<std::string> variables);
  // Not copyable: the pointers refer to the strings.
  ExecImage(const ExecImage&) = delete;
  ExecImage& operator=(const ExecImage&) = delete;

  // Replaces the child with the program, or reports the failure and ends it.
  [[noreturn]] void exec(int report);

 private:
  bool try_program(std::string& path);

  std::vector<std::string> words_;
  std::vector<std::string> variables_;
  std::vector<std::string> programs_;  // paths to try, in the order of PATH
  std::string shell_;                  // /bin/sh, which runs scripts without "#!", as for execvp
  std::vector<char*> word_pointers_;
  // Arguments to run a program by the shell: shell, program, its arguments.
  std::vector<char*> shell_pointers_;
  std::vector<char*> variable_pointers_;
};

// The content of the pipe `report`: the exit code to report, and the explanation.
struct StartFailure {
  std::int32_t exit_code = 1;
  std::string note;
};
StartFailure parse_start_failure(const std::string& report);

// Sets the soft limits of the process that submitted the job. If the user named a limit and it
// cannot be set, reports that on standard error, as Slurm does.
void set_soft_limits(const std::vector<SoftLimit>& limits);

// Converts the resource usage that wait4() or waitid() returned for a child.
StepUsage usage_of(const rusage& usage);

// Called in the child: restores default signal handling, and makes the kernel kill the child when
// its parent dies. If the parent has died already, ends the child.
void become_plain_child(pid_t parent);
// Changes to this user and this one group, irrevocably, and verifies that. An unprivileged process
// that is this user already keeps its supplementary groups, but `gid` must be its own group. False:
// it failed, and the child must end without doing its work.
[[nodiscard]] bool become_user(uid_t uid, gid_t gid);

}  // namespace cox
