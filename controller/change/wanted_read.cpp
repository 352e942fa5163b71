#include "controller/change/wanted_read.h"

namespace cox {

JobId job_of(const WantedRead& read) {
  return std::visit(
      [](const auto& what) -> JobId {
        if constexpr (requires { what.of; })
          return what.of.job;
        else if constexpr (requires { what.again; })
          return what.job;
        else
          return {};
      },
      read.what);
}

}  // namespace cox
