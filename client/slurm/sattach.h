// sattach: what the tasks of a running step write, from now on, and input for them. It is a step of
// its own beside the other one, with one place on each of its nodes and without tasks
// (common/messages/attachment.h). Pure.
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
  bool layout = false;  // is all that is asked for
  bool label = false;
  bool pty = false;
  bool quiet = false;
  std::int64_t verbose = 0;
  // Of and to this task alone; -1: all.
  std::int32_t input = -1;
  std::int32_t output = -1;
  std::int32_t error = -1;
};
// Or what is said instead: --help, --version, getopt's words for what it does not know.
using ReadAttach = std::variant<AttachOptions, Shown>;
Result<ReadAttach> parse_attach(const std::vector<std::string>& words);
std::span<const WordOption> attach_options();

// Refused when the step has not begun or has ended, or has no such task.
Result<StepSession::Settings> attach_settings(const AttachOptions& asked, const StepView& step);

// What --layout prints.
std::string layout_text(const StepView& step);

}  // namespace cox
