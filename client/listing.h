// Slurm's commands that list: their command lines are read by their own tables, several questions
// may be asked, and with -i it is all done again every so often. Pure; client/io/listing carries it
// out.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "client/question.h"
#include "client/slurm/text/field_format.h"
#include "client/text/screen.h"

namespace cox {

// What a command line is read among.
struct Surroundings {
  std::vector<std::string> environment;  // "NAME=VALUE"
  std::string user_name;                 // whose process it is
  std::string host_name;
  std::function<bool(const std::string&)> knows_user;  // this host does: a name, or a number
};

struct Listing {
  std::vector<Question> questions;
  std::int64_t every_s = 0;  // 0: once
  std::string config;        // --config
  std::string notes;         // on standard error, before anything is asked
  std::string unreachable;   // what Slurm says when no controller answers
  // The answers stand in the order of the questions; none is a Refused.
  std::function<Shown(std::vector<Answer>& answers, const FieldView& view)> show;
};

using ReadListing = std::variant<Listing, Shown>;  // or what is wrong, or --help

}  // namespace cox
