#include "common/io/clock.h"

#include <sys/random.h>
#include <time.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "common/base/check.h"

namespace cox {
namespace {

Milliseconds read_one(clockid_t clock) {
  timespec now{};
  CHECK(::clock_gettime(clock, &now) == 0);
  return Milliseconds{now.tv_sec * std::int64_t{1'000} + now.tv_nsec / 1'000'000};
}

// Returns how far a test has set this process's wall clock ahead. It is read once, because the
// environment does not change while a process runs.
Milliseconds set_ahead() {
  static const Milliseconds ahead = [] {
    const char* seconds = std::getenv("COX_CLOCK_AHEAD_S");
    return Milliseconds{seconds == nullptr ? 0 : std::atoll(seconds) * std::int64_t{1'000}};
  }();
  return ahead;
}

void fill_randomly(void* bytes, std::size_t count) {
  ssize_t got = -1;
  do {
    got = ::getrandom(bytes, count, 0);
  } while (got < 0 && errno == EINTR);
  CHECK(got == static_cast<ssize_t>(count));
}

}  // namespace

Now read_clock() {
  return {Boot{read_one(CLOCK_BOOTTIME)}, Wall{read_one(CLOCK_REALTIME) + set_ahead()}};
}

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  CHECK(!id.empty());
  return id;
}

std::string random_hex(int bytes) {
  CHECK(bytes > 0 && bytes <= 256);  // the maximum of one getrandom() call
  std::vector<unsigned char> raw(static_cast<std::size_t>(bytes));
  fill_randomly(raw.data(), raw.size());
  std::string hex;
  for (const unsigned char byte : raw) {
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  return hex;
}

std::uint64_t random_seed() {
  std::uint64_t seed = 0;
  fill_randomly(&seed, sizeof seed);
  return seed;
}

}  // namespace cox
