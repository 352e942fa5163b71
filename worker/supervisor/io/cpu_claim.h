// Which of the machine's CPUs an attempt's bound tasks have: those that no other attempt of this
// worker has claimed. The controller grants a number; this makes it CPUs.
//
// Byte N of a file of the worker is CPU N: an attempt holds locks on those that are its own. They
// go with the process that holds them, however it ends.
#pragma once

#include <string>
#include <vector>

#include "common/result.h"
#include "worker/supervisor/cpu_place.h"
#include "worker/supervisor/io/descriptor.h"

namespace cox {

// All that this process may run on, in their order.
std::vector<CpuPlace> usable_cpus();

struct CpuClaim {
  Descriptor held;
  std::vector<std::int32_t> cpus;
};
Result<CpuClaim> claim_cpus(const std::string& file, std::size_t count,
                            const std::vector<CpuPlace>& from);

}  // namespace cox
