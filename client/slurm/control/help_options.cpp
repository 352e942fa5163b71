#include "client/slurm/control/help_options.h"

#include <CLI/CLI.hpp>

#include "client/command_options.h"
#include "client/slurm/control/scontrol.h"
#include "client/slurm/records/sreport_request.h"
#include "client/slurm/text/answers.h"
#include "common/base/text.h"

namespace cox {
namespace {

[[noreturn]] void tell_help() {
  throw CLI::CallForHelp();
}

// Replaces the heading over the options: each program of Slurm has its own.
void name_options(CLI::App& app, const std::string& head) {
  for (CLI::Option* option : app.get_options())
    if (option->nonpositional()) option->group(head);
}

void add_help(CLI::App& app, std::string commands) {
  app.add_flag_callback("--usage", tell_help, "as --help");
  if (commands.ends_with('\n')) commands.pop_back();  // it is given one
  app.footer(commands);
}

}  // namespace

void declare_scontrol_and_help(CLI::App& app, Options& options) {
  declare_scontrol(app, options);
  add_help(app, control_help());
}

// No controller is asked for it: it is read with the options.
void declare_sacctmgr_and_help(CLI::App& app, Options& options) {
  declare_sacctmgr(app, options);
  add_help(app, sacctmgr_help());
  app.callback([&options] {
    if (options.words.size() == 1 && lower_case(options.words.front()) == "help") tell_help();
  });
}

void declare_sreport_and_help(CLI::App& app, Options& options) {
  declare_sreport(app, options);
  add_help(app, sreport_help());
  app.description("sreport [<OPTION>] [<COMMAND>]\n" + app.get_description());
  name_options(app, "Valid <OPTION> values are");
  app.callback([&options] {
    if (options.words.size() == 1 && lower_case(options.words.front()) == "help") tell_help();
  });
}

void declare_sshare_and_help(CLI::App& app, Options& options) {
  declare_sshare(app, options);
  add_help(app, "");
  name_options(app, "Valid OPTIONs are");
}

}  // namespace cox
