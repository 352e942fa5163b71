#include "worker/io/term_file.h"

#include <fstream>

#include "common/check.h"
#include "worker/supervisor/io/files.h"

namespace cox {

Term TermFile::load() {
  std::ifstream file(path_);
  std::int64_t value = 0;
  file >> value;
  return Term{value};
}

// A term that cannot be kept must not be obeyed: a full disk stops the worker, not the promise.
void TermFile::keep(Term term) {
  CHECK(!replace_file(path_, std::to_string(term.value) + "\n", 0600, Outlives::Machine));
}

}  // namespace cox
