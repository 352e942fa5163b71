// What children of the supervisor and of the step daemon do between fork and exec. A start that
// fails is told through `report`, a pipe that a successful exec closes. The child may be vfork's,
// which shares its parent's memory: so nothing that runs there allocates, or changes a global.
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

[[noreturn]] void fail_start(int report, int exit_code,
                             std::initializer_list<std::string_view> text);

// The file becomes `target`; missing folders of an output file are made. O_NONBLOCK while opening:
// a FIFO without its other end must not hold the child for ever.
void open_as(int report, int target, const std::string& path, int flags);

// A few words on the standard error that is its own by now; what does not fit there now is lost.
void tell_on_error(std::initializer_list<std::string_view> text);

// Where a script or a task runs whose own folder cannot be entered, as under Slurm.
inline constexpr const char* folder_otherwise = "/tmp";
// Says so, as Slurm does; `error`: errno.
void tell_folder_otherwise(const std::string& folder, int error);

// A command with its variables, NAME=value each, as exec takes them; a child of vfork must find it
// made. The program is looked up in the variables' PATH, as execvp would in its own.
class ExecImage {
 public:
  // SLURM_TASK_PID comes to the variables.
  ExecImage(std::vector<std::string> words, std::vector<std::string> variables);
  // The pointers go into the strings.
  ExecImage(const ExecImage&) = delete;
  ExecImage& operator=(const ExecImage&) = delete;

  // In the child.
  [[noreturn]] void exec(int report);

 private:
  bool try_program(std::string& path);

  std::vector<std::string> words_;
  std::vector<std::string> variables_;
  std::vector<std::string> programs_;  // where it may be
  std::string shell_;                  // runs what the kernel cannot, as execvp has it
  std::vector<char*> word_pointers_;
  std::vector<char*> shell_pointers_;  // the shell, the program, its other words
  std::vector<char*> variable_pointers_;
};

// A report's two parts: the exit code to tell, and what to say of it.
struct StartFailure {
  std::int32_t exit_code = 1;
  std::string note;
};
StartFailure parse_start_failure(const std::string& report);

// Sets the soft limits of the process that submitted the job. If the user named a limit and it
// cannot be set, reports that on standard error, as Slurm does.
void set_soft_limits(const std::vector<SoftLimit>& limits);

// What the kernel counted of a child that was waited for.
StepUsage usage_of(const rusage& usage);

// In a child of ours: everything the supervisor changed about signals is put back, and the child
// dies with its parent. Exits when the parent is gone already.
void become_plain_child(pid_t parent);
// Takes on the user, the group and no other group, for good, and checks with the kernel that it is
// so. A process that is this user already and may not change its groups keeps those it has, if its
// group is `gid`. False: something of it failed, and the child must end without doing its work.
[[nodiscard]] bool become_user(uid_t uid, gid_t gid);

}  // namespace cox
