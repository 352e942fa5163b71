// `cox checkpoints orphans`: lists the folders below the checkpoint root, then requests the list of
// the cluster's checkpoints. Shows the folders that belong to no checkpoint.
#include <filesystem>

#include "client/io/pages.h"
#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/show/json.h"
#include "client/show/show_checkpoints.h"

namespace cox {
namespace {

namespace fs = std::filesystem;

std::int64_t bytes_below(const fs::path& folder) {
  std::int64_t bytes = 0;
  std::error_code error;
  const auto skip = fs::directory_options::skip_permission_denied;
  for (auto at = fs::recursive_directory_iterator(folder, skip, error);
       !error && at != fs::recursive_directory_iterator(); at.increment(error))
    if (at->symlink_status(error).type() == fs::file_type::regular)
      bytes += static_cast<std::int64_t>(at->file_size(error));
  return bytes;
}

std::vector<fs::path> folders_in(const fs::path& folder, const std::string& beginning) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (auto at = fs::directory_iterator(folder, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    const bool is_folder = at->symlink_status(error).type() == fs::file_type::directory;
    const std::string name = at->path().filename();
    const bool is_checkpoint_name = beginning.empty() ? name.front() >= '0' && name.front() <= '9'
                                                      : name.starts_with(beginning);
    if (is_folder && is_checkpoint_name) folders.push_back(at->path());
  }
  return folders;
}

std::vector<CheckpointFolder> folders_below(const std::string& root) {
  std::vector<CheckpointFolder> found;
  const auto add = [&](const fs::path& folder) { found.push_back({folder, bytes_below(folder)}); };
  for (const fs::path& job : folders_in(root, "")) {
    const auto attempts = folders_in(job, "attempt-");
    if (attempts.empty()) add(job);
    for (const fs::path& attempt : attempts) {
      const auto steps = folders_in(attempt, "step-");
      if (steps.empty()) add(attempt);
      for (const fs::path& step : steps) add(step);
    }
  }
  return found;
}

Result<CheckpointList> ask_list(Asker& controller, Question question) {
  auto answer = ask_all_pages(controller, std::move(question));
  if (!answer) return answer.refusal();
  if (const auto* refused = std::get_if<Refused>(&*answer)) return refused->why;
  auto* list = std::get_if<CheckpointList>(&*answer);
  if (list == nullptr) return Refusal{"the controller sent an unexpected reply", ""};
  return std::move(*list);
}

}  // namespace

int run_checkpoint_orphans(const Command& command, const Options& options) {
  auto session = open_session(options.config);
  if (!session) return print_refusal(command, session.refusal(), options, exit_refused);
  // No job has the id 0, so this reply lists no checkpoint. It is requested for the path of the
  // checkpoint root.
  auto place = ask_list(*session->controller, ListCheckpoints{{JobId{0}}, {}});
  if (!place) return print_refusal(command, place.refusal(), options, exit_refused);
  std::error_code error;
  fs::directory_iterator readable(place->root, error);
  if (error)
    return print_refusal(command,
                         {"cannot look through " + place->root + ": " + error.message(),
                          "run it as the cluster's owner, on a machine with the shared storage"},
                         options, exit_refused);
  auto found = folders_below(place->root);
  auto list = ask_list(*session->controller, ListCheckpoints{});
  if (!list) return print_refusal(command, list.refusal(), options, exit_refused);
  const auto orphans = orphans_of(*list, std::move(found));
  return print({options.json ? json_text(orphans) : show_orphans(orphans), "", exit_ok});
}

}  // namespace cox
