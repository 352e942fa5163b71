#include "worker/io/checkpoint_root.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "common/job/checkpoint_marker.h"
#include "worker/supervisor/io/files/open_beneath.h"

namespace cox {
namespace {

constexpr std::size_t marker_bytes_max = 4096;

}  // namespace

bool is_checkpoint_root(const std::string& folder, const std::string& cluster_name) {
  const Descriptor root(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.is_open()) return false;
  const Descriptor marker = open_beneath(root.get(), checkpoint_marker_file, O_RDONLY);
  struct stat facts {};
  if (!marker.is_open() || ::fstat(marker.get(), &facts) != 0 || !S_ISREG(facts.st_mode))
    return false;
  std::array<char, marker_bytes_max> text{};
  const ssize_t bytes = ::read(marker.get(), text.data(), text.size());
  if (bytes <= 0) return false;
  const std::string line(text.data(), static_cast<std::size_t>(bytes));
  return line.substr(0, line.find('\n')) == cluster_name;
}

}  // namespace cox
