#include "common/io/memory_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <new>
#include <string>

#include "common/base/check.h"
#include "common/io/log.h"

namespace cox {
namespace {

// These variables are global, as the limit of a process is.
std::int64_t limit_mb = 0;  // 0: no limit was set
rlim_t soft_before = 0;
rlim_t soft = 0;
std::unique_ptr<char[]> reserve;  // freed to make room for the last line of the log
constexpr std::size_t reserve_bytes = 1 << 20;

void set_soft(rlim_t bytes) {
  rlimit limit{};
  CHECK(::getrlimit(RLIMIT_DATA, &limit) == 0);
  limit.rlim_cur = std::min(limit.rlim_max, bytes);
  CHECK(::setrlimit(RLIMIT_DATA, &limit) == 0);
}

// Returns the bytes that RLIMIT_DATA counts at present. Under a sanitizer, terabytes of shadow
// memory are among them.
rlim_t data_bytes() {
  constexpr int fields_before = 5;
  std::ifstream file("/proc/self/statm");
  rlim_t pages = 0;
  for (int field = 0; field <= fields_before; ++field) file >> pages;
  CHECK(file);
  return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

[[noreturn]] void end_without_memory() {
  std::set_new_handler(nullptr);
  reserve.reset();
  log_error("out of memory: this program has reached its limit of " + std::to_string(limit_mb) +
            " MB and ends; set memory_limit_mb if it needs more");
  ::_exit(1);
}

}  // namespace

void limit_memory(std::int64_t megabytes) {
  if (megabytes == 0) return;
  rlimit limit{};
  CHECK(::getrlimit(RLIMIT_DATA, &limit) == 0);
  soft_before = limit.rlim_cur;
  limit_mb = megabytes;
  reserve = std::make_unique<char[]>(reserve_bytes);
  soft = data_bytes() + (static_cast<rlim_t>(megabytes) << 20);
  set_soft(soft);
  std::set_new_handler(end_without_memory);
}

MemoryLimitLifted::MemoryLimitLifted() {
  if (limit_mb > 0) set_soft(soft_before);
}

MemoryLimitLifted::~MemoryLimitLifted() {
  if (limit_mb > 0) set_soft(soft);
}

}  // namespace cox
