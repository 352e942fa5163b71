// sshare: prints the tree of accounts and users, with the shares and the use of each. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/command.h"

namespace cox {

struct SshareOptions : Options {
  Failure resolve(const CallerContext& caller) override;

  std::string user_name;  // the caller
  bool all_users = false;
  std::vector<std::string> accounts;
  std::vector<std::string> users;
  std::vector<std::string> format;
  bool list_fields = false;
  bool no_header = false;
  bool long_report = false;
  bool with_partitions = false;  // -m: also print the partition of an association
  bool parsable = false;         // columns|like|this|
  bool parsable2 = false;        // columns|like|this
  bool only_users = false;       // -U: leave out rows of accounts
  bool verbose = false;
};

extern const CommandLineOf<SshareOptions> sshare_line;
Question ask_sshare(const SshareOptions& options);
Shown show_sshare(const Answer& answer, const SshareOptions& options, const Screen& screen);

}  // namespace cox
