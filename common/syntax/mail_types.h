// Parses --mail-type: the events of a job for which mail is sent. Pure.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"

namespace cox {

// Turns "end,begin" into "BEGIN,END": Slurm's names in Slurm's order. If NONE is among them, the
// result is empty. ALL means the same as in Slurm, so it includes neither ARRAY_TASKS nor any
// TIME_LIMIT.
Result<std::string> parse_mail_types(std::string_view text);

}  // namespace cox
