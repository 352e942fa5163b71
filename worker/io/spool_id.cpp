#include "worker/io/spool_id.h"

#include <sys/stat.h>

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

// The file's two lines: the identity, and the boot and the folder for which it was last settled.
struct SpoolId {
  std::string id;
  std::string boot;
  std::string folder;  // device and inode; they stay if the folder is renamed
  std::string path;
};

std::string text_of(const SpoolId& spool) {
  return spool.id + "\n" + spool.boot + " " + spool.folder + " " + spool.path + "\n";
}

// The second line is missing if the previous version made the file.
std::optional<SpoolId> parse(const std::string& text) {
  SpoolId spool;
  std::istringstream lines(text);
  const bool has_id = static_cast<bool>(std::getline(lines, spool.id));
  if (!has_id || lines.eof() || spool.id.size() != 2 * id_bytes) return std::nullopt;
  if (!(lines >> spool.boot >> spool.folder)) {
    if (spool.boot.empty()) return spool;
    return std::nullopt;
  }
  std::getline(lines >> std::ws, spool.path);
  return spool;
}

Result<std::string> folder_at(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return io_refusal(path, "read", errno);
  return std::to_string(facts.st_dev) + ":" + std::to_string(facts.st_ino);
}

std::string file_in(const std::string& spool_dir) {
  return spool_dir + "/" + supervisor_folder::spool_id_file;
}

// Returns what the file says; nullopt: there is none. Refused for a copied folder.
Result<std::optional<SpoolId>> read_spool_id(const std::string& spool_dir) {
  const std::string path = file_in(spool_dir);
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) {
    if (errno == ENOENT) return std::optional<SpoolId>();
    return io_refusal(path, "open", errno);
  }
  auto known = parse(read_file(path, limits::word_bytes_max).value_or(""));
  if (!known)
    return Refusal{path + " cannot be read, or is damaged",
                   "if no job runs on this node, remove it; the controller then waits until the "
                   "leases of the jobs that it knows here have ended"};
  const auto folder = folder_at(spool_dir);
  if (!folder) return folder.refusal();
  if (known->boot == boot_id() && known->folder != *folder)
    return Refusal{
        "the spool folder " + spool_dir + " is a copy of another one of this boot",
        "start the worker with the original folder (spool_dir); if that is gone, end what "
        "runs there and empty this one"};
  return known;
}

}  // namespace

Result<std::string> check_spool_id(const std::string& spool_dir) {
  const auto known = read_spool_id(spool_dir);
  if (!known) return known.refusal();
  return *known && (*known)->boot == boot_id() ? (*known)->path : "";
}

Result<std::string> settle_spool_id(const std::string& spool_dir) {
  const auto known = read_spool_id(spool_dir);
  if (!known) return known.refusal();
  const auto folder = folder_at(spool_dir);
  if (!folder) return folder.refusal();
  const SpoolId spool{*known ? (*known)->id : random_hex(id_bytes), boot_id(), *folder, spool_dir};
  if (*known && text_of(**known) == text_of(spool)) return spool.id;
  if (Failure failure = replace_file(file_in(spool_dir), text_of(spool), 0600, Outlives::Machine))
    return *failure;
  return spool.id;
}

}  // namespace cox
