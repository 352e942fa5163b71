// sprio: prints the factors of the priority of each pending job. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/command.h"
#include "common/base/ids.h"

namespace cox {

struct SprioOptions : Options {
  std::vector<JobId> ids;
  std::vector<std::string> tasks;  // for each of `ids`: its array tasks; empty: all
  std::vector<std::string> partitions;
  std::vector<std::string> users;
  std::vector<std::string> format;
  std::string sort;
  bool no_header = false;
  bool long_report = false;
  bool normalised = false;  // -n: factors from 0 to 1, without their weights
  bool weights = false;     // -w: print the weights of the factors, and no jobs
  bool verbose = false;
};

extern const CommandLineOf<SprioOptions> sprio_line;
Question ask_sprio(const SprioOptions& options);
Shown show_sprio(const Answer& answer, const SprioOptions& options, const Screen& screen);

}  // namespace cox
