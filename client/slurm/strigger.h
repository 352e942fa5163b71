// strigger: reads its command line, builds the request, and formats the reply as Slurm does. Pure;
// client/io/strigger.cpp checks the program file and sends the request.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "client/command.h"
#include "client/slurm/text/option_words.h"
#include "common/cluster/event_trigger.h"

namespace cox {

struct TriggerWish {
  enum class Mode : std::uint8_t { None, Set, Get, Clear };
  Mode mode = Mode::None;
  int modes = 0;                    // number of --set, --get and --clear given
  std::vector<std::string> events;  // names of the options: "down", "time"
  EventTriggerId id;                // 0: any
  JobId job;                        // 0: none
  std::string nodes;                // as written; empty: all
  bool names_node = false;          // --node was given
  std::int64_t offset_s = 0;
  std::string program;
  bool permanent = false;
  std::string user;  // a name or a uid
  std::vector<std::string> clusters;
  bool no_header = false;
  bool quiet = false;
  bool verbose = false;
};
using ReadTrigger = std::variant<TriggerWish, Shown>;

ReadTrigger read_strigger(const std::vector<std::string>& words);
std::span<const WordOption> strigger_options();

// Returns the path in --program, without its arguments.
std::string program_path(const TriggerWish& wish);

// Builds the request. `user` is the name that --user stands for.
std::variant<Question, Shown> trigger_question(const TriggerWish& wish, const std::string& user);

Shown show_triggers(const TriggerWish& wish, const std::string& user, const TriggerList& list);
Shown show_trigger_acted(const TriggerWish& wish, const Acted& acted);
// Formats a refusal as Slurm's library does: "slurm_set_trigger: FACT".
Shown show_trigger_refused(const TriggerWish& wish, const Refusal& why);

}  // namespace cox
