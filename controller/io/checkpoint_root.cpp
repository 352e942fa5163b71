#include "controller/io/checkpoint_root.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "common/base/text.h"
#include "common/job/checkpoint_marker.h"

namespace cox {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t marker_bytes_max = 4096;
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

// Reads the first line of a small file. Returns 0, or the errno of the failure to read it.
int read_first_line(const std::string& path, std::string& line) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return errno;
  std::array<char, marker_bytes_max> text{};
  const ssize_t bytes = ::read(fd, text.data(), text.size());
  const int error = bytes < 0 ? errno : 0;
  ::close(fd);
  if (bytes > 0) line.assign(text.data(), static_cast<std::size_t>(bytes));
  line.resize(std::min(line.size(), line.find('\n')));
  return error;
}

// Returns the id in "17" or "17-<identity>"; 0 for any other name.
std::int64_t id_at_beginning(const std::string& name) {
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), id);
  const bool ends = end == name.data() + name.size() || *end == '-';
  return error == std::errc{} && ends && id > 0 && id < job_id_max ? id : 0;
}

}  // namespace

Failure mark_checkpoint_root(const ControllerConfig& config, bool has_jobs) {
  const std::string& root = config.checkpoint_root;
  const std::string path = root + "/" + checkpoint_marker_file;
  std::string marked;
  const int error = read_first_line(path, marked);
  const std::string setting = "checkpoint_root in [controller]: ";
  if (error == 0 && marked == config.cluster_name) return std::nullopt;
  if (error == 0)
    return Refusal{setting + root + " belongs to cluster " + quoted(marked),
                   "give each cluster a folder of its own; if this cluster was renamed, write its "
                   "new name into " +
                       path};
  if (error != ENOENT)
    return Refusal{setting + "cannot read " + path + ": " + std::strerror(error),
                   "let the controller's account read it"};
  if (has_jobs)
    return Refusal{setting + "there is no " + path + ", and this cluster has jobs",
                   "mount the shared folder; if another, empty one is to replace it, write " +
                       quoted(config.cluster_name) + " into this file first"};
  std::error_code failed;
  fs::create_directories(root, failed);
  if (replace(path, config.cluster_name)) return std::nullopt;
  return Refusal{"cannot write " + path, "set [controller] checkpoint_root to a shared folder"};
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
