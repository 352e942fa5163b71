// Tasks in containers: parses what a job requests (Slurm's --container, and --container-image and
// the related options of the Slurm plugin pyxis), and builds a command line from the setting
// container_command of [worker], which the site writes. The words of container_command come first,
// then the words of the task. The command runs as the job's user, and the supervisor contains it
// like any task. Pure.
//
// container_command = ["/usr/bin/apptainer", "exec", "--bind={mounts}", "--pwd={workdir}",
// "{image}"]
//
// A word of container_command with {mounts}, {environment} or {gpus} is repeated for each value. A
// word whose placeholder has no value is left out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace cox {

// The node feature of workers that have a container_command. A job with a container requires it.
inline constexpr std::string_view container_feature = "container";
// The name of the setting, for messages to people.
inline constexpr std::string_view container_setting = "container_command";

struct ContainerWish {
  std::string image;  // image, or folder given by --container; empty: no container
  std::string name;
  std::string work_dir;                  // working folder in the container
  std::vector<std::string> mounts;       // "/here:/there[:flags]"
  std::vector<std::string> environment;  // names of variables

  bool operator==(const ContainerWish&) const = default;
};

// Validates the value of a container option; `name` has no dashes in front: "container-mounts".
Failure check_container_option(std::string_view name, std::string_view value);
// Returns those entries of JobSpec::stored_options that are container options.
std::vector<std::string> container_options(const std::vector<std::string>& stored_options);
bool wants_container(const std::vector<std::string>& stored_options);
Result<ContainerWish> container_wish(const std::vector<std::string>& stored_options);

// Validates container_command: it must begin with an absolute path, contain {image}, and have no
// unknown placeholder.
Result<std::vector<std::string>> parse_container_command(const std::vector<std::string>& words);

struct ContainerTask {
  std::vector<std::string> words;
  // NAME=value entries of the task, which also name its GPUs.
  const std::vector<std::string>& environment;
  std::vector<std::string> folders;  // folders of the scheduler that are mounted too; "" is skipped
};

// Returns the words of container_command, filled in, and then the words of the task. If the job
// requests no container, returns only the words of the task. Refuses a container if `command` is
// empty.
Result<std::vector<std::string>> container_words(const std::vector<std::string>& command,
                                                 const std::vector<std::string>& stored_options,
                                                 ContainerTask task);

}  // namespace cox
