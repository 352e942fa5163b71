// Applies the rules of the site to a submission: first [[submit_rule]], then submit_program, which
// runs outside the controller's thread:
//
//   on_submit ──there is a program──▶ Reaction::verdicts, no answer yet
//                                       │ controller/io/submit_runner runs it
//   on_submit ◀──the same request, with PeerMessage::submit_answer──┘
//
// A submission that waits for the program is only in memory, has no job id, and is an open request:
// its repeats get the same reply. Each time the request is handled, the rules and the answer are
// applied to the original submission, so the result is always the same. If the controller ends or
// another one leads, the client repeats the request, and the program runs again. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "controller/ledger/reaction.h"

namespace cox {

struct SubmitRuling {
  std::vector<JobSpec> specs;      // the jobs with all changes
  std::vector<std::string> lines;  // effects of the rules and the program, as text
  std::string note;                // text of the program for the user
  Failure refused;
  // Why the program failed, if submit_without_program accepted the submission anyway.
  std::string failed;
  bool waits = false;  // the submission has no verdict yet: it waits for the program
};

// Applies the rules and the program. `is_dry_run`: the jobs are not submitted.
SubmitRuling rule_submission(Reaction& r, const PeerMessage& incoming, std::int64_t number,
                             std::span<const JobSpec> specs, const std::string& script,
                             bool is_dry_run);

// Answers a submission that the rules refuse. Returns whether to continue with the submission now.
bool may_continue(Reaction& r, const PeerMessage& incoming, std::int64_t number,
                  const SubmitRuling& ruling);

}  // namespace cox
