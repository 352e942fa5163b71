// What the files of `scontrol show` share. Pure.
#pragma once

#include "client/slurm/control/scontrol.h"
#include "client/slurm/text/field_format.h"

namespace cox {

using Answers = std::vector<Answer>;

// Returns reply number `i`, counted from 0. Null if there is no such reply, or one of another type.
template <class Body>
const Body* body_of(const Answers& answers, std::size_t i) {
  return i < answers.size() ? std::get_if<Body>(&answers[i]) : nullptr;
}

// Returns the error for a reply that is a refusal or has an unexpected type.
Shown not_answered(const std::string& before, const Answer& answer);

ControlPlan show_assoc_mgr(const ControlWords& words, const ControlContext& context);
ControlPlan show_jobs(const ControlWords& ids, const ControlContext& context);
// Returns the JSON document of `scontrol show jobs`. REQUIRES: `answers` are the replies to the
// requests of show_jobs(), and none is a refusal.
std::string jobs_as_json(const Answers& answers, const ControlWords& names, const FieldView& view,
                         const ControlContext& context);

}  // namespace cox
