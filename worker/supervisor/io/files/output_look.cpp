#include "worker/supervisor/io/files/output_look.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "worker/supervisor/io/files/descriptor.h"
#include "worker/supervisor/output_bound.h"

namespace cox {

using supervisor::OutputSeen;

namespace {

// Where a disk does not count what a file takes, its size has to do.
OutputFile output_file(const struct stat& facts) {
  const std::int64_t blocks = facts.st_blocks;
  return {facts.st_size, blocks > 0 ? blocks * 512 : facts.st_size};
}

bool is_on_full_disk(const std::string& path) {
  struct statvfs disk {};
  if (::statvfs(path.c_str(), &disk) != 0 || disk.f_blocks == 0) return false;
  const std::uint64_t unit = disk.f_frsize;
  return !disk_has_room(static_cast<std::int64_t>(disk.f_bavail * unit),
                        static_cast<std::int64_t>(disk.f_blocks * unit));
}

void write_line(int fd, const std::string& line, std::int64_t at) {
  // What a full disk does not take is written with the next gap; nothing else is lost with it.
  if (::pwrite(fd, line.data(), line.size(), at) < 0) return;
}

ToldGap told_at(int fd, std::int64_t at) {
  std::array<char, gap_line_bytes_max> text{};
  const ssize_t got = ::pread(fd, text.data(), text.size(), at);
  return read_gap_line({text.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))});
}

// Ranks go on writing meanwhile, always at its end: none of what is touched here is there.
void make_smaller(int fd, const OutputFile& file, const OutputGap& gap, std::int64_t bytes_max) {
  constexpr int release = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
  if (::fallocate(fd, release, gap.from, gap.to - gap.from) == 0) {
    write_line(fd, gap_line(gap.to - gap.from, bytes_max), gap.from);
  } else if (errno == EOPNOTSUPP || errno == ENOSYS) {
    const OutputCut cut = cut_of(file, gap, told_at(fd, gap.from), bytes_max);
    // The line's place stays in the file, so that what is written meanwhile comes behind it.
    if (::ftruncate(fd, cut.size) == 0) write_line(fd, cut.line, gap.from);
  }
}

// What it takes then.
std::int64_t bound_file(const std::string& path, const OutputFile& seen, std::int64_t bytes_max) {
  if (!gap_in(seen, bytes_max)) return seen.allocated;
  const Descriptor file(
      ::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat facts {};
  const auto is_own = [&] { return S_ISREG(facts.st_mode) && facts.st_uid == ::geteuid(); };
  if (!file.is_open() || ::fstat(file.get(), &facts) != 0 || !is_own()) return seen.allocated;
  const OutputFile now = output_file(facts);
  const auto gap = gap_in(now, bytes_max);
  if (!gap) return now.allocated;
  make_smaller(file.get(), now, *gap, bytes_max);
  if (::fstat(file.get(), &facts) != 0) return now.allocated;
  return output_file(facts).allocated;
}

}  // namespace

OutputSeen look_at_output(const std::set<std::string>& paths, std::int64_t bytes_max) {
  OutputSeen seen;
  std::set<std::pair<dev_t, ino_t>> files;
  std::set<dev_t> disks;
  for (const std::string& path : paths) {
    struct stat facts {};
    if (::stat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) continue;
    if (!files.emplace(facts.st_dev, facts.st_ino).second) continue;
    const OutputFile file = output_file(facts);
    seen.taken.found = std::max(seen.taken.found, file.allocated);
    seen.taken.left = std::max(seen.taken.left, bound_file(path, file, bytes_max));
    if (disks.insert(facts.st_dev).second && seen.full.empty() && is_on_full_disk(path))
      seen.full = path;
  }
  return seen;
}

std::string encode_seen(const OutputSeen& seen) {
  return std::to_string(seen.taken.found) + " " + std::to_string(seen.taken.left) + " " +
         seen.full + "\n";
}

std::optional<OutputSeen> decode_seen(const std::string& text) {
  if (!text.ends_with('\n')) return std::nullopt;
  char* rest = nullptr;
  OutputSeen seen;
  seen.taken.found = std::strtoll(text.c_str(), &rest, 10);
  seen.taken.left = std::strtoll(rest, &rest, 10);
  if (*rest != ' ') return std::nullopt;
  seen.full = rest + 1;
  seen.full.pop_back();
  return seen;
}

}  // namespace cox
