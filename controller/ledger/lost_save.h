// A save that did not become a checkpoint: which ranks saved which step, which did not, and what is
// lost with it. The text stands in the job's history, in the outcome of the attempt, and in the
// answer of `cox why`. The view cox.lost_saves, for programs, has the attempts with such an
// outcome. Pure.
#pragma once

#include <optional>
#include <string>

#include "controller/state/cluster.h"

namespace cox {

// How the text begins, by which an outcome that has it is known.
inline constexpr const char* lost_save_begins = "its save did not become a checkpoint: ";

// Returns nothing if every step that was saved is committed, and the attempt, if it was asked to
// save, did. A job that saves in a way of its own, with --signal alone, need not report it.
// `qos`: of the job. REQUIRES: the attempt has ended.
std::optional<std::string> lost_save_text(const JobEntry& entry, const Attempt& attempt,
                                          const Qos& qos);

}  // namespace cox
