#include "worker/io/known_gpus.h"

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <sstream>

#include "common/io/log.h"
#include "common/job/supervisor_folder.h"
#include "worker/supervisor/io/files/files.h"

namespace cox {
namespace {

constexpr std::size_t file_bytes_max = 65536;

using NumberByUuid = std::map<std::string, std::int32_t>;

// The file has the boot id in its first line, then one line for each GPU: its number and its UUID.
std::string text_of(const std::string& boot_id, const NumberByUuid& gpus) {
  std::string text = boot_id + "\n";
  for (const auto& [uuid, number] : gpus) text += std::to_string(number) + " " + uuid + "\n";
  return text;
}

// Returns the GPUs known of this boot: none if the file is of another boot, or damaged by a crash
// of the machine.
NumberByUuid parse(const std::string& text, const std::string& boot_id) {
  std::istringstream lines(text);
  std::string line;
  NumberByUuid known;
  if (!std::getline(lines, line) || line != boot_id) return known;
  std::int32_t number = 0;
  for (std::string uuid; lines >> number >> uuid;) known[uuid] = number;
  return known;
}

}  // namespace

std::string check_known_gpus(const std::string& spool_dir, const std::string& boot_id,
                             const std::vector<GpuDevice>& gpus) {
  const std::string path = spool_dir + "/" + supervisor_folder::gpus_file;
  errno = 0;
  const auto read = read_file(path, file_bytes_max);
  if (!read && errno != ENOENT) return io_refusal(path, "read", errno).fact;
  const std::string text = read.value_or("");
  const NumberByUuid known = parse(text, boot_id);
  NumberByUuid now;
  for (const GpuDevice& gpu : gpus)
    if (!gpu.uuid.empty()) now[gpu.uuid] = gpu.index;
  for (const auto& [uuid, number] : known) {
    const auto same = now.find(uuid);
    if (same != now.end() && same->second == number) continue;
    return "GPU " + std::to_string(number) + " (" + uuid + ") " +
           (same == now.end() ? "was lost" : "got another number") +
           " after the node booted, so the numbers of running jobs' GPUs may be wrong; reboot it";
  }
  const std::string next = text_of(boot_id, now);
  if (next == text || (text.empty() && now.empty())) return "";
  if (const Failure failure = replace_file(path, next, 0600, Outlives::Processes))
    log_warning(failure->fact);
  return "";
}

}  // namespace cox
