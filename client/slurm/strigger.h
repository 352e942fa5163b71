// strigger: reads its command line, builds the request, and formats the reply as Slurm does. Pure;
// client/io/strigger.cpp checks the program file and sends the request.
#pragma once

#include <algorithm>
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

struct TriggerRequest {
  enum class Mode : std::uint8_t { None, Set, Get, Clear };
  Mode mode = Mode::None;
  int modes = 0;                    // how many of --set, --get and --clear were given
  std::vector<std::string> events;  // names of the events' options: "down", "time"
  EventTriggerId id;                // 0: any
  JobId job;                        // 0: none
  std::string nodes;                // --node, as written; empty: all nodes
  bool names_node = false;          // --node was given
  std::int64_t offset_s = 0;
  std::string program;
  bool permanent = false;
  std::string user;  // --user: a name or a uid
  std::vector<std::string> clusters;
  bool no_header = false;
  bool quiet = false;
  bool verbose = false;

  void take_event(std::string_view event) {
    if (std::ranges::find(events, event) == events.end()) events.emplace_back(event);
  }
};
using ReadTrigger = std::variant<TriggerRequest, Shown>;

ReadTrigger read_strigger(const std::vector<std::string>& words);
std::vector<OptionForm> strigger_options();

// Returns the path in --program, without its arguments.
std::string program_path(const TriggerRequest& wish);

// Builds the request, or returns an error. `user` is the name of the user in --user.
std::variant<Question, Shown> trigger_question(const TriggerRequest& wish, const std::string& user);

Shown show_triggers(const TriggerRequest& wish, const std::string& user, const TriggerList& list);
Shown show_trigger_acted(const TriggerRequest& wish, const Acted& acted);
// Formats a refusal as Slurm's library does: "slurm_set_trigger: FACT".
Shown show_trigger_refused(const TriggerRequest& wish, const Refusal& why);

}  // namespace cox
