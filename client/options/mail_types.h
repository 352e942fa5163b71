// --mail-type: of what a job's owner is sent mail. Pure.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"

namespace cox {

// "end,begin" → "BEGIN,END": Slurm's names in its order. NONE among them: empty. ALL is what Slurm
// means by it, so neither ARRAY_TASKS nor any TIME_LIMIT.
Result<std::string> parse_mail_types(std::string_view text);

}  // namespace cox
