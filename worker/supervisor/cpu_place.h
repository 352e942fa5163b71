// The CPUs of a machine, and where each of them is.
#pragma once

#include <compare>
#include <cstdint>

namespace cox {

// In the order in which they are taken: whole cores, then whole sockets, lie beside each other.
struct CpuPlace {
  std::int32_t ldom = 0;  // NUMA domain
  std::int32_t socket = 0;
  std::int32_t core = 0;  // of its socket
  std::int32_t cpu = 0;
  auto operator<=>(const CpuPlace&) const = default;
};

}  // namespace cox
