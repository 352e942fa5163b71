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

using supervisor::OutputChecked;

namespace {

// Some file systems report no blocks; then the size counts as the space on disk.
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
  // On a full disk the write fails, and only this line is lost.
  if (::pwrite(fd, line.data(), line.size(), at) < 0) return;
}

ReportedGap read_reported_gap(int fd, std::int64_t at) {
  std::array<char, gap_line_bytes_max> text{};
  const ssize_t got = ::pread(fd, text.data(), text.size(), at);
  return read_gap_line({text.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))});
}

// Releases the disk space of the gap and writes a line there. Ranks may write at the same time, but
// only at the file's end, outside the gap.
void make_smaller(int fd, const OutputFile& file, const OutputGap& gap, std::int64_t bytes_max) {
  constexpr int release = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
  if (::fallocate(fd, release, gap.from, gap.to - gap.from) == 0) {
    write_line(fd, gap_line(gap.to - gap.from, bytes_max), gap.from);
  } else if (errno == EOPNOTSUPP || errno == ENOSYS) {
    const OutputCut cut = cut_for(file, gap, read_reported_gap(fd, gap.from), bytes_max);
    // The new size has room for the line, so that output written at the same time is appended after
    // it.
    if (::ftruncate(fd, cut.size) == 0) write_line(fd, cut.line, gap.from);
  }
}

// Makes the file smaller if it takes more than bytes_max of disk space. Returns the space that it
// takes afterwards, in bytes.
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

OutputChecked look_at_output(const std::set<std::string>& paths, std::int64_t bytes_max) {
  OutputChecked seen;
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

std::string encode_output_check(const OutputChecked& seen) {
  return std::to_string(seen.taken.found) + " " + std::to_string(seen.taken.left) + " " +
         seen.full + "\n";
}

std::optional<OutputChecked> decode_output_check(const std::string& text) {
  if (!text.ends_with('\n')) return std::nullopt;
  char* rest = nullptr;
  OutputChecked seen;
  seen.taken.found = std::strtoll(text.c_str(), &rest, 10);
  seen.taken.left = std::strtoll(rest, &rest, 10);
  if (*rest != ' ') return std::nullopt;
  seen.full = rest + 1;
  seen.full.pop_back();
  return seen;
}

}  // namespace cox
