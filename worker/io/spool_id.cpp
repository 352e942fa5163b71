#include "worker/io/spool_id.h"

#include <unistd.h>

#include <cerrno>

#include "common/base/limits.h"
#include "common/io/clock.h"
#include "common/job/supervisor_folder.h"
#include "worker/supervisor/io/files/files.h"

namespace cox {
namespace {

constexpr int id_bytes = 16;
constexpr std::size_t line_bytes = 2 * id_bytes + 1;

}  // namespace

Result<std::string> settle_spool_id(const std::string& spool_dir) {
  const std::string path = spool_dir + "/" + supervisor_folder::spool_id_file;
  if (::access(path.c_str(), F_OK) != 0) {
    if (errno != ENOENT) return io_refusal(path, "open", errno);
    const std::string made = random_hex(id_bytes) + "\n";
    if (Failure failure = replace_file(path, made, 0600, Outlives::Machine)) return *failure;
  }
  std::string line = read_file(path, limits::word_bytes_max).value_or("");
  if (line.size() != line_bytes || !line.ends_with('\n'))
    return Refusal{path + " cannot be read, or is damaged",
                   "if no job runs on this node, remove it; the controller then waits until the "
                   "leases of the jobs that it knows here have ended"};
  line.pop_back();
  return line;
}

}  // namespace cox
