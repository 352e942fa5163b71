// What a command line of sinfo asks for, and SINFO_... beside it. Pure.
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
  bool by_node = false;     // a row for each node and partition
  bool dead = false;        // only those that do not respond
  bool responding = false;  // only those that do
  bool exact = false;       // rows are of nodes with the same sizes
  bool long_list = false;
  bool reasons = false;
  bool summarize = false;
  bool reservations = false;
  bool no_header = false;
  bool json = false;
  bool convert_units = true;
  std::int64_t every_s = 0;
  std::int64_t verbose = 0;
  // Each of these empty: any.
  std::vector<std::string> partitions, nodes, states;
  std::string format;  // settled
  bool by_names = false;
  bool widens = false;  // the columns of partitions and nodes, where their names are longer
  std::string sort;
  std::vector<std::string> clusters;
  std::string time_style;
  std::string config;
};

std::variant<SinfoRequest, Shown> read_sinfo_request(const std::vector<std::string>& words,
                                                     const Surroundings& around);
std::span<const WordOption> sinfo_options();

// What --verbose begins with.
std::string asked_text(const SinfoRequest& request);

}  // namespace cox
