// What the rules of the site say to a submission: those of [[submit_rule]], then submit_program,
// which runs outside the controller's thread:
//
//   on_submit ──there is a program──▶ Reaction::verdicts, no answer yet
//                                       │ controller/io/submit_runner runs it
//   on_submit ◀──the same request, with PeerSaid::submit_answer──┘
//
// A submission that waits for the program is in memory alone, has no job id, and is one of the open
// requests: its repeats get its answer. The rules and the answer are applied to the request each
// time it is judged, so they may be judged any number of times. If the controller ends or another
// one leads, the client repeats the request, and the program is asked again. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "controller/reaction.h"

namespace cox {

struct SubmitRuling {
  std::vector<JobSpec> specs;      // as they are now asked for
  std::vector<std::string> lines;  // what each rule and the program did, for people
  std::string note;                // the program's, for the user
  Failure refused;
  std::string failed;  // the program, why, where it was accepted nevertheless
  bool waits = false;  // for the program
};

// `is_dry_run`: nothing is to come of it.
SubmitRuling rule_submission(Reaction& r, const PeerSaid& said, std::int64_t number,
                             std::span<const JobSpec> specs, const std::string& script,
                             bool is_dry_run);

// Answers a submission that the rules refuse. Returns whether it is to be judged further now.
bool is_settled(Reaction& r, const PeerSaid& said, std::int64_t number, const SubmitRuling& ruling);

}  // namespace cox
