#include "worker/io/spool_id.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <sstream>

#include "common/base/limits.h"
#include "common/io/clock.h"
#include "common/job/supervisor_folder.h"
#include "worker/supervisor/io/files/files.h"

namespace cox {
namespace {

constexpr int id_bytes = 16;
constexpr std::size_t line_bytes = 2 * id_bytes + 1;
// Has a file of its own, so that a worker of the previous version can read the identity.
constexpr const char* place_file = "/spool_place";

// Where the spool folder was when a worker last started with it.
struct Place {
  std::string boot;
  std::string folder;  // device and inode; they stay if the folder is renamed
  std::string path;
};

std::string text_of(const Place& place) {
  return place.boot + " " + place.folder + " " + place.path + "\n";
}

Result<Place> place_now(const std::string& spool_dir) {
  struct stat facts {};
  if (::stat(spool_dir.c_str(), &facts) != 0) return io_refusal(spool_dir, "read", errno);
  return Place{boot_id(), std::to_string(facts.st_dev) + ":" + std::to_string(facts.st_ino),
               spool_dir};
}

Refusal damaged(const std::string& path) {
  return {path + " cannot be read, or is damaged",
          "if no job runs on this node, remove it; the controller then waits until the leases of "
          "the jobs that it knows here have ended"};
}

// Returns the text of the file; nullopt: there is none.
Result<std::optional<std::string>> read_if_there(const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0) {
    if (errno == ENOENT) return std::optional<std::string>();
    return io_refusal(path, "open", errno);
  }
  auto text = read_file(path, limits::path_bytes_max + limits::word_bytes_max);
  if (!text) return damaged(path);
  return std::optional(*std::move(text));
}

}  // namespace

Result<std::string> check_spool_place(const std::string& spool_dir) {
  const auto text = read_if_there(spool_dir + place_file);
  if (!text) return text.refusal();
  if (!*text) return std::string();
  Place known;
  std::istringstream words(**text);
  if (!(words >> known.boot >> known.folder) || !std::getline(words >> std::ws, known.path))
    return damaged(spool_dir + place_file);
  if (known.boot != boot_id()) return std::string();
  const auto now = place_now(spool_dir);
  if (!now) return now.refusal();
  if (known.folder != now->folder)
    return Refusal{
        "the spool folder " + spool_dir + " is a copy of another one of this boot",
        "start the worker with the original folder (spool_dir); if that is gone, end what "
        "runs there and empty this one; if this is the original, mounted again as another "
        "device, remove " +
            spool_dir + place_file};
  return known.path;
}

Result<std::string> settle_spool_id(const std::string& spool_dir) {
  const std::string path = spool_dir + "/" + supervisor_folder::spool_id_file;
  auto known = read_if_there(path);
  if (!known) return known.refusal();
  const std::string line = known->value_or(random_hex(id_bytes) + "\n");
  if (line.size() != line_bytes || !line.ends_with('\n')) return damaged(path);
  const auto place = place_now(spool_dir);
  if (!place) return place.refusal();
  // First the place: an identity without it could be copied.
  if (Failure failure =
          replace_file(spool_dir + place_file, text_of(*place), 0600, Outlives::Machine))
    return *failure;
  if (!*known)
    if (Failure failure = replace_file(path, line, 0600, Outlives::Machine)) return *failure;
  return line.substr(0, line.size() - 1);
}

}  // namespace cox
