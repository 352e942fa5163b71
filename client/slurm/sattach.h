// sattach: shows what the tasks of a running step write from now on, and sends them input. For
// this, sattach creates a step without tasks on the same nodes (common/messages/attachment.h).
// Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "client/slurm/text/option_words.h"
#include "client/step/step_session.h"
#include "common/base/result.h"
#include "common/job/job_ref.h"

namespace cox {

struct AttachOptions {
  JobRef job;
  std::int32_t step = 0;
  bool layout = false;  // --layout: only print on which node each task is
  bool label = false;
  bool pty = false;
  bool quiet = false;
  std::int64_t verbose = 0;
  // For each stream, the rank of the task that is connected; -1: all tasks.
  std::int32_t input = -1;
  std::int32_t output = -1;
  std::int32_t error = -1;
};
// The parsed options, or the text to print instead: --help, --version or getopt's error.
using ReadAttach = std::variant<AttachOptions, Shown>;
Result<ReadAttach> parse_attach(const std::vector<std::string>& words);
std::vector<OptionForm> attach_options();

// Returns the settings of the StepSession that watches `step`. Refuses if the step has not begun or
// has ended, or if a filter names a task that it does not have.
Result<StepSession::Settings> attach_settings(const AttachOptions& asked, const StepView& step);

// Returns what --layout prints: which tasks are on which node.
std::string layout_text(const StepView& step);

}  // namespace cox
