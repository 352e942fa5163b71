// A save that did not become a checkpoint: which ranks saved which step, which did not, and how
// much work is lost with it. The text is in the job's history, in the outcome of the attempt, and
// in the output of `cox why`. The view cox.lost_saves lists the attempts with such an outcome.
// Pure.
#pragma once

#include <optional>
#include <string>

#include "controller/state/cluster.h"

namespace cox {

// Returns the text, which begins with lost_save_begins (common/job/save_words.h); nullopt if every
// saved step is committed and the attempt saved when it was asked to. Also nullopt for a job that
// has only --signal and never reported a save: it saves in a way of its own. `qos`: of the job.
// REQUIRES: the attempt has ended.
std::optional<std::string> lost_save_text(const JobEntry& entry, const Attempt& attempt,
                                          const Qos& qos);

}  // namespace cox
