#include "worker/io/term_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <fstream>

#include "common/check.h"

namespace cox {

Term TermFile::load() {
  std::ifstream file(path_);
  std::int64_t value = 0;
  file >> value;
  return Term{value};
}

// A term that cannot be kept must not be obeyed: a full disk stops the worker, not the promise.
void TermFile::keep(Term term) {
  const std::string fresh = path_ + ".new";
  const std::string text = std::to_string(term.value) + "\n";
  const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  CHECK(fd >= 0);
  CHECK(::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  CHECK(::fsync(fd) == 0);
  ::close(fd);
  CHECK(::rename(fresh.c_str(), path_.c_str()) == 0);
}

}  // namespace cox
