// Shows the result of a submission that was only tested: when the job would start (sbatch
// --test-only, cox submit --test), and what the submission rules of the site decide about it. Pure.
#pragma once

#include <string>

#include "client/text/screen.h"
#include "common/messages/messages.h"

namespace cox {

std::string show_tested(const JobTested& tested, const Screen& screen);
std::string show_submit_rules(const JobTested& tested, const Screen& screen);
std::string show_tested_as_slurm(const JobTested& tested, const Screen& screen);  // sbatch's line

}  // namespace cox
