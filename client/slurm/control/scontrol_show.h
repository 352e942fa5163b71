// What the files of `scontrol show` share. Pure.
#pragma once

#include "client/slurm/control/scontrol.h"
#include "client/slurm/text/field_format.h"

namespace cox {

using Answers = std::vector<Answer>;

// Null where there is no such answer.
template <class Body>
const Body* body_of(const Answers& answers, std::size_t i) {
  return i < answers.size() ? std::get_if<Body>(&answers[i]) : nullptr;
}

// What the first answer is if it is not what was asked for.
Shown not_answered(const std::string& before, const Answer& answer);

ControlPlan show_jobs(const ControlWords& ids, const ControlScene& scene);
// REQUIRES: the answers to show_jobs(), without an error.
std::string jobs_as_json(const Answers& answers, const ControlWords& names, const FieldView& view,
                         const ControlScene& scene);

}  // namespace cox
