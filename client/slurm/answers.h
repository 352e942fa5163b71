// The questions and answers behind the names in names.h.
#pragma once

#include "client/command.h"

namespace cox {

Question ask_squeue(const Options& options);
Shown show_squeue(const Answer& answer, const Options& options, const Screen& screen);

Question ask_scancel(const Options& options);  // the ids given, or a list of those meant
Shown show_scancel(const Answer& answer, const Options& options, const Screen& screen);

Question ask_sinfo(const Options& options);
Shown show_sinfo(const Answer& answer, const Options& options, const Screen& screen);

// A list for `show`, else what is to be done.
Question ask_sacctmgr(const Options& options);
Shown show_sacctmgr(const Answer& answer, const Options& options, const Screen& screen);

}  // namespace cox
