// Parses the command line of sinfo and the variables SINFO_... Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "client/listing.h"
#include "client/slurm/text/option_words.h"

namespace cox {

struct SinfoRequest {
  bool by_node = false;     // -N: a row for each node in each partition
  bool dead = false;        // -d: only nodes that do not respond
  bool responding = false;  // -r: only nodes that respond
  bool exact = false;       // -e: nodes of different sizes in separate rows
  bool long_list = false;
  bool reasons = false;
  bool summarize = false;
  bool reservations = false;
  bool no_header = false;
  bool json = false;
  bool convert_units = true;
  std::int64_t every_s = 0;
  std::int64_t verbose = 0;
  // Filters; an empty list admits all.
  std::vector<std::string> partitions, nodes, states;
  std::string format;  // of the columns: given, or default; never empty
  bool by_names = false;
  // default format: widen the columns of partitions and nodes to the longest name
  bool widens = false;
  std::string sort;
  std::vector<std::string> clusters;
  std::string time_style;
  std::string config;
};

std::variant<SinfoRequest, Shown> read_sinfo_request(const std::vector<std::string>& words,
                                                     const Surroundings& around);
std::vector<OptionForm> sinfo_options();

// Returns what --verbose prints first: the options in effect.
std::string asked_text(const SinfoRequest& request);

}  // namespace cox
