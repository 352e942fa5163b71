// The container options: Slurm's --container, and the options of its plugin pyxis that a
// container_command of the site can carry out (common/job/container.h). sbatch's options are stored
// with the job and apply to its ranks; srun's options apply to the tasks of its step.
#include "client/options/submit_option_table.h"
#include "common/job/container.h"

namespace cox {
namespace container_option {
namespace {

constexpr auto required = Takes::Value;

// Stores "NAME=VALUE" in the job's stored options. A later value replaces an earlier one.
Failure store_container(SubmitOptions& asked, std::string_view name, std::string_view value) {
  if (auto failure = check_container_option(name, value)) return failure;
  const std::string option = std::string(name) + "=";
  std::vector<std::string>& stored = asked.spec.stored_options;
  std::erase_if(stored, [&](const std::string& each) { return each.starts_with(option); });
  stored.push_back(option + std::string(value));
  return std::nullopt;
}

Failure set_bundle(SubmitOptions& asked, std::string_view value) {
  return store_container(asked, "container", value);
}
Failure set_image(SubmitOptions& asked, std::string_view value) {
  return store_container(asked, "container-image", value);
}
Failure set_mounts(SubmitOptions& asked, std::string_view value) {
  return store_container(asked, "container-mounts", value);
}
Failure set_container_folder(SubmitOptions& asked, std::string_view value) {
  return store_container(asked, "container-workdir", value);
}
Failure set_container_variables(SubmitOptions& asked, std::string_view value) {
  return store_container(asked, "container-env", value);
}
Failure set_container_name(SubmitOptions& asked, std::string_view value) {
  return store_container(asked, "container-name", value);
}

// clang-format off
constexpr SubmitOption options[] = {
  {"container", 0, required, "PATH",
   "run in a container with this root folder, where supported",
   "SBATCH_CONTAINER", set_bundle},
  {"container-image", 0, required, "IMAGE",
   "run in a container of this image, if the site supports it", "", set_image},
  {"container-mounts", 0, required, "SRC:DST[:FLAGS],...", "folders to mount in the container", "",
   set_mounts},
  {"container-workdir", 0, required, "PATH", "the working directory in the container", "",
   set_container_folder},
  {"container-env", 0, required, "NAME,...",
   "variables that the container gets from the job, not the image", "", set_container_variables},
  {"container-name", 0, required, "NAME", "the name of the container", "", set_container_name},
  // srun's row: its variable is SLURM_CONTAINER, that of sbatch SBATCH_CONTAINER
  {"container", 0, required, "PATH",
   "run in a container with this root folder, where supported",
   "SLURM_CONTAINER", set_bundle},
};
// clang-format on

}  // namespace
}  // namespace container_option

std::span<const SubmitOption> container_option_table() {
  return std::span(container_option::options).first(std::size(container_option::options) - 1);
}

std::span<const SubmitOption> container_step_option_table() {
  return std::span(container_option::options).subspan(1);
}

}  // namespace cox
