// Chooses the CPUs of the machine for an attempt's bound tasks. The controller grants a number of
// CPUs; a claim chooses that many CPUs which no other attempt of this worker has claimed.
//
// A claim holds a lock on byte N of a file in the spool folder for each claimed CPU N. The locks
// end with the process that holds them, however it ends.
//
// A suspended attempt lends its CPUs: it unlocks them, and marks each as lent by a lock on a second
// byte. Other attempts claim lent CPUs only if no others are free. The suspended tasks stay bound
// to the CPUs that they had. When the attempt is resumed, it takes back the CPUs that are free, and
// shares the others until they are free, as suspended jobs do in Slurm.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.h"
#include "worker/supervisor/cpu_place.h"
#include "worker/supervisor/io/files/descriptor.h"

namespace cox {

// Returns the CPUs that this process may run on, sorted.
std::vector<CpuPlace> usable_cpus();

struct CpuClaim {
  Descriptor held;  // the open lock file; closing it releases the locks
  std::vector<std::int32_t> cpus;
  // The CPUs of `cpus` that are lent: other attempts may have claimed them.
  std::vector<std::int32_t> lent{};
};
// Claims `count` of the CPUs `from`, by locks on `file`. Refused if too few are free.
Result<CpuClaim> claim_cpus(const std::string& file, std::size_t count, std::vector<CpuPlace> from);
void lend(CpuClaim& claim);
// Locks again those lent CPUs that are free. Must be called again while `lent` is not empty.
void take_back(CpuClaim& claim);

}  // namespace cox
