// The place of a CPU in its machine: NUMA domain, socket, core.
#pragma once

#include <compare>
#include <cstdint>

namespace cox {

// Place of one CPU: NUMA domain, socket and core. Sorted places have the CPUs of one core side by
// side, and so those of one socket.
struct CpuPlace {
  std::int32_t ldom = 0;  // NUMA domain
  std::int32_t socket = 0;
  std::int32_t core = 0;  // number of the core within its socket
  std::int32_t cpu = 0;
  auto operator<=>(const CpuPlace&) const = default;
};

}  // namespace cox
