// sacctmgr: for `show`, lists accounts, users, associations, QOS and so on; turns the other
// commands into requests to change them. client/io/administer.cpp asks the user to confirm a
// change. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/command.h"

namespace cox {

struct SacctmgrOptions : Options {
  Failure resolve(const CallerContext& caller) override;  // refuses a change with --readonly

  std::vector<std::string> words;
  bool immediate = false;  // changes without confirmation
  bool no_header = false;
  bool parsable = false;   // columns|like|this|
  bool parsable2 = false;  // columns|like|this
  bool with_associations = false;
  bool quiet = false;
  bool read_only = false;
};

extern const CommandLineOf<SacctmgrOptions> sacctmgr_line;
Question ask_sacctmgr(const SacctmgrOptions& options);
// Shows the refusal of a change that changes nothing as Slurm does, on standard output; nothing if
// it is another refusal.
std::optional<Shown> show_nothing_done(const Refusal& why);
Shown show_sacctmgr(const Answer& answer, const SacctmgrOptions& options, const Screen& screen);

}  // namespace cox
