#include "worker/io/term_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <limits>

#include "worker/supervisor/io/files/descriptor.h"
#include "worker/supervisor/io/files/files.h"

namespace cox {
namespace {

constexpr std::size_t term_width = std::numeric_limits<std::int64_t>::digits10 + 1;

Failure overwrite(const std::string& path, const std::string& content) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
  struct stat is {};
  if (!file.is_open() || ::fstat(file.get(), &is) != 0) return io_refusal(path, "open", errno);
  const auto size = static_cast<ssize_t>(content.size());
  // A file of another length, written by a previous version, cannot be overwritten in place.
  if (is.st_size != size) return io_refusal(path, "write", ENOSPC);
  if (::pwrite(file.get(), content.data(), content.size(), 0) != size || ::fsync(file.get()) != 0)
    return io_refusal(path, "write", errno);
  return std::nullopt;
}

}  // namespace

Term TermFile::load() {
  std::ifstream file(path_);
  std::int64_t value = 0;
  file >> value;
  // Writes the file already at the start, so that it has its room on the disk before the disk is
  // full.
  if (file || ::access(path_.c_str(), F_OK) != 0) static_cast<void>(keep(Term{value}));
  return Term{value};
}

Failure TermFile::keep(Term term) {
  std::string text = std::to_string(term.value) + "\n";
  text.insert(0, term_width + 1 - text.size(), ' ');
  if (!replace_file(path_, text, 0600, Outlives::Machine)) return std::nullopt;
  return overwrite(path_, text);
}

JobId TermFile::newest_job() {
  std::ifstream file(newest_job_path_);
  std::int64_t value = 0;
  file >> value;
  return JobId{value};
}

void TermFile::note_newest_job(JobId job) {
  static_cast<void>(
      replace_file(newest_job_path_, std::to_string(job.value) + "\n", 0600, Outlives::Processes));
}

}  // namespace cox
