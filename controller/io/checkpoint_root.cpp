#include "controller/io/checkpoint_root.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "common/job/checkpoint_marker.h"

namespace cox {
namespace {

namespace fs = std::filesystem;

constexpr const char* next_job_file = ".coxswain-next-job";
// A larger number at the beginning of a name is not a job's id.
constexpr std::int64_t job_id_max = 1'000'000'000'000;

// Replaces the file atomically by one with this line, since other controllers and workers may be
// reading it. Returns whether that succeeded.
bool replace(const std::string& path, const std::string& line) {
  std::error_code error;
  const std::string fresh = path + "." + std::to_string(::getpid());
  std::ofstream file(fresh, std::ios::trunc);
  file << line << "\n";
  file.close();
  if (file) fs::rename(fresh, path, error);
  return file && !error;
}

// Returns the id in "17" or "17-<identity>"; 0 for any other name.
std::int64_t id_at_beginning(const std::string& name) {
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), id);
  const bool ends = end == name.data() + name.size() || *end == '-';
  return error == std::errc{} && ends && id > 0 && id < job_id_max ? id : 0;
}

}  // namespace

Failure mark_checkpoint_root(const ControllerConfig& config) {
  std::error_code error;
  fs::create_directories(config.checkpoint_root, error);
  const std::string path = config.checkpoint_root + "/" + checkpoint_marker_file;
  std::string marked;
  if (std::getline(std::ifstream(path), marked) && marked == config.cluster_name)
    return std::nullopt;
  if (!replace(path, config.cluster_name))
    return Refusal{"cannot write " + path, "set [controller] checkpoint_root to a shared folder"};
  return std::nullopt;
}

JobId next_job_by_folders(const std::string& checkpoint_root) {
  std::string noted;
  std::getline(std::ifstream(checkpoint_root + "/" + next_job_file), noted);
  std::int64_t next = std::max<std::int64_t>(1, id_at_beginning(noted));
  std::error_code error;
  for (auto at = fs::directory_iterator(checkpoint_root, error);
       !error && at != fs::directory_iterator(); at.increment(error))
    next = std::max(next, id_at_beginning(at->path().filename()) + 1);
  return JobId{next};
}

void note_next_job(const std::string& checkpoint_root, JobId next) {
  replace(checkpoint_root + "/" + next_job_file, std::to_string(next.value));
}

}  // namespace cox
