// TRESBillingWeights of a partition, as Slurm writes them: "CPU=1.0,Mem=0.25G,GRES/gpu=2". Pure.
#pragma once

#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/resources/tres.h"

namespace cox {

// Reads the weights as slurm.conf(5) defines them: names in any case, numbers with any sign, and of
// memory per MiB unless a unit follows. "energy" is taken and left out: no job has any here.
Result<std::vector<BillingWeight>> parse_tres_weights(std::string_view text);

}  // namespace cox
