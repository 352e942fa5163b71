// --mail-type: of what a job's owner is sent mail. Pure.
#pragma once

#include <string>
#include <string_view>

#include "common/result.h"

namespace cox {

// "begin,end" → "BEGIN,END"; NONE is empty. Slurm's names; ALL is BEGIN,END,FAIL,REQUEUE and what
// else Slurm means by it.
Result<std::string> parse_mail_types(std::string_view text);

}  // namespace cox
