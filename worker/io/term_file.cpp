#include "worker/io/term_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
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

Result<Term> TermFile::stored() const {
  const Descriptor file(::open(path_.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file.is_open() && errno == ENOENT) return Term{0};
  if (!file.is_open()) return io_refusal(path_, "open", errno);
  char text[64];
  const ssize_t size = ::read(file.get(), text, sizeof text);
  if (size < 0) return io_refusal(path_, "read", errno);
  const char* end = text + size;
  const char* digits = std::find_if(text, text + size, [](char c) { return c != ' '; });
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(digits, end, value);
  if (error == std::errc{} && stop + 1 == end && *stop == '\n' && value >= 0) return Term{value};
  return Refusal{path_ + " is damaged: it has no number of a term",
                 "a leader that was replaced could be obeyed; write the newest term of "
                 "`SELECT term FROM cox.turn` into it"};
}

Failure TermFile::check() const {
  const auto known = stored();
  return known ? std::nullopt : Failure(known.refusal());
}

Term TermFile::load() {
  const auto known = stored();
  if (!known) return Term{std::numeric_limits<std::int64_t>::max()};
  // Writes the file already at the start, so that it has its room on the disk before the disk is
  // full.
  static_cast<void>(keep(*known));
  return *known;
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
