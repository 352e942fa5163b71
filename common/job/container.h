// Tasks in containers: parses what a job asks for (Slurm's --container, and --container-image and
// the related options of the Slurm plugin pyxis), and builds the command line from
// container_command of [worker]. The words of that command come before the words of the task. The
// command runs as the job's user, in the attempt's containment, like the task itself. Pure.
//
//   ["/usr/bin/apptainer", "exec", "--bind={mounts}", "--pwd={workdir}", "{image}"]
//
// A word with {mounts}, {environment} or {gpus} is repeated for each value. A word whose
// placeholder has no value is left out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace cox {

// The feature that workers with a container_command announce. Jobs with a container require it.
inline constexpr std::string_view container_feature = "container";
// The name of the key in [worker], for refusals.
inline constexpr std::string_view container_setting = "container_command";

struct ContainerWish {
  std::string image;  // the image, or the folder of --container; empty: no container
  std::string name;
  std::string work_dir;                  // path in the container
  std::vector<std::string> mounts;       // "/here:/there[:flags]"
  std::vector<std::string> environment;  // names of variables

  bool operator==(const ContainerWish&) const = default;
};

// Validates the value of a container option; `name` is like "container-mounts".
Failure check_container_option(std::string_view name, std::string_view value);
// Returns the entries of JobSpec::stored_options that belong to container options.
std::vector<std::string> container_options(const std::vector<std::string>& stored_options);
bool wants_container(const std::vector<std::string>& stored_options);
Result<ContainerWish> container_wish(const std::vector<std::string>& stored_options);

// Validates the site's command: it begins with an absolute path, contains {image}, and has only
// known placeholders.
Result<std::vector<std::string>> parse_container_command(const std::vector<std::string>& words);

struct ContainerTask {
  std::vector<std::string> words;
  const std::vector<std::string>& environment;  // of the task, NAME=value; names its GPUs
  std::vector<std::string> folders;             // of the scheduler, mounted too; "" is skipped
};

// Returns the site's command followed by the words of the task; only the task's words if the task
// asks for no container. Refused if it asks for a container and the site has no command.
Result<std::vector<std::string>> container_words(const std::vector<std::string>& command,
                                                 const std::vector<std::string>& stored_options,
                                                 ContainerTask task);

}  // namespace cox
