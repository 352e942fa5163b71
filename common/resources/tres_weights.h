// The setting TRESBillingWeights of a partition, as Slurm writes it:
// "CPU=1.0,Mem=0.25G,GRES/gpu=2". Pure.
#pragma once

#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/resources/tres.h"

namespace cox {

// Parses the weights as slurm.conf(5) defines them: names in any case, numbers with any sign. A
// weight of memory is per MiB unless a unit follows. "energy" is accepted and ignored, since
// Coxswain does not measure energy.
Result<std::vector<BillingWeight>> parse_tres_weights(std::string_view text);

}  // namespace cox
