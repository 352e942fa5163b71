#include "common/io/own_soft_limits.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

namespace cox {
namespace {

struct Known {
  std::string_view name;
  decltype(RLIMIT_CPU) resource;
};

constexpr auto known = std::to_array<Known>({{"CPU", RLIMIT_CPU},
                                             {"FSIZE", RLIMIT_FSIZE},
                                             {"DATA", RLIMIT_DATA},
                                             {"STACK", RLIMIT_STACK},
                                             {"CORE", RLIMIT_CORE},
                                             {"RSS", RLIMIT_RSS},
                                             {"NPROC", RLIMIT_NPROC},
                                             {"NOFILE", RLIMIT_NOFILE},
                                             {"MEMLOCK", RLIMIT_MEMLOCK},
                                             {"AS", RLIMIT_AS}});

static_assert(RLIM_INFINITY == unlimited);

}  // namespace

std::vector<SoftLimit> own_soft_limits() {
  std::vector<SoftLimit> limits;
  for (const Known& one : known) {
    rlimit now{};
    if (::getrlimit(one.resource, &now) == 0)
      limits.push_back({std::string(one.name), now.rlim_cur, false});
  }
  return limits;
}

int set_own_soft_limit(const SoftLimit& limit) {
  for (const Known& one : known) {
    if (one.name != limit.name) continue;
    rlimit wanted{};
    if (::getrlimit(one.resource, &wanted) != 0) return errno;
    if (wanted.rlim_cur == limit.value) return 0;
    if (limit.is_explicit && limit.value > wanted.rlim_max) return EPERM;
    wanted.rlim_cur = std::min<rlim_t>(limit.value, wanted.rlim_max);
    return ::setrlimit(one.resource, &wanted) == 0 ? 0 : errno;
  }
  return EINVAL;
}

}  // namespace cox
