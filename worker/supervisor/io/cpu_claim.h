// Which of the machine's CPUs an attempt's bound tasks have: those that no other attempt of this
// worker has claimed. The controller grants a number; this makes it CPUs.
//
// Byte N of a file of the worker is CPU N: an attempt holds locks on those that are its own. They
// go with the process that holds them, however it ends.
//
// An attempt that is suspended lends its CPUs: who is started in its room finds them free, and
// takes them when there are no others, which a second lock of each, a mark, tells. Its tasks stay
// bound to them. When it goes on it takes those that are free, and shares the others until they
// are: as suspended jobs do in Slurm.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.h"
#include "worker/supervisor/cpu_place.h"
#include "worker/supervisor/io/files/descriptor.h"

namespace cox {

// All that this process may run on, in their order.
std::vector<CpuPlace> usable_cpus();

struct CpuClaim {
  Descriptor held;
  std::vector<std::int32_t> cpus;
  std::vector<std::int32_t> lent{};  // those of them whose locks others may have
};
Result<CpuClaim> claim_cpus(const std::string& file, std::size_t count, std::vector<CpuPlace> from);
void lend(CpuClaim& claim);
void take_back(CpuClaim& claim);  // what is free of it; to be called again while some are lent

}  // namespace cox
