// Tasks in containers: what a job asks for (--container-image and its companions, those of Slurm's
// plugin pyxis, and Slurm's own --container), and the command of the site that carries it out,
// container_command of [worker]. That command is put before the words of a task; it runs as the
// job's user, in the attempt's containment, like the task itself. Pure.
//
//   ["/usr/bin/apptainer", "exec", "--bind={mounts}", "--pwd={workdir}", "{image}"]
//
// A word with {mounts}, {environment} or {gpus} is there once for each of them. A word whose
// placeholder stands for nothing is left out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"

namespace cox {

// Workers that have a container_command announce this feature, and jobs with a container need it.
inline constexpr std::string_view container_feature = "container";
// The key of [worker], for refusals.
inline constexpr std::string_view container_setting = "container_command";

struct ContainerWish {
  std::string image;  // or the folder of --container; empty: no container
  std::string name;
  std::string work_dir;                  // in the container
  std::vector<std::string> mounts;       // "/here:/there[:flags]"
  std::vector<std::string> environment;  // names of variables

  bool operator==(const ContainerWish&) const = default;
};

// What the value of one of these options must be; `name` is "container-mounts".
Failure check_container_option(std::string_view name, std::string_view value);
// The options among JobSpec::stored_options that say something of a container.
std::vector<std::string> container_options(const std::vector<std::string>& stored_options);
bool wants_container(const std::vector<std::string>& stored_options);
Result<ContainerWish> container_wish(const std::vector<std::string>& stored_options);

// The site's command, checked: an absolute path first, {image} in it, and no unknown placeholder.
Result<std::vector<std::string>> parse_container_command(const std::vector<std::string>& words);

struct ContainerTask {
  std::vector<std::string> words;
  const std::vector<std::string>& environment;  // of the task, NAME=value: its GPUs stand there
  std::vector<std::string> folders;             // of the scheduler: mounted too; empty ones are not
};

// The words of the task behind those of the site's command; the task's own if no container is asked
// for. Refused: one is asked for, and there is no command.
Result<std::vector<std::string>> container_words(const std::vector<std::string>& command,
                                                 const std::vector<std::string>& stored_options,
                                                 ContainerTask task);

}  // namespace cox
