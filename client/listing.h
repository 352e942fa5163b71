// Slurm's listing commands, squeue and sinfo. Each has its own option table, may send several
// requests, and with -i repeats them. Pure: client/io/listing sends the requests of a Listing and
// prints what its `show` returns.
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

// Facts about the calling process that the parser of a listing command needs besides the words.
struct Surroundings {
  std::vector<std::string> environment;  // "NAME=VALUE"
  std::string user_name;                 // user name of the calling process
  std::string host_name;
  // returns whether the user database of this host has this name or uid
  std::function<bool(const std::string&)> user_exists;
};

struct Listing {
  std::vector<Question> questions;
  std::int64_t every_s = 0;  // -i: seconds between repetitions; 0: list only once
  std::string config;        // --config
  std::string notes;         // warnings to print on stderr before the first request
  std::string unreachable;   // Slurm's message for the case that no controller answers
  // Formats the answers, one for each of `questions` in their order. REQUIRES: no answer is a
  // Refused.
  std::function<Shown(std::vector<Answer>& answers, const FieldView& view)> show;
};

// the parsed command, or text to print instead: an error, --help
using ReadListing = std::variant<Listing, Shown>;

}  // namespace cox
