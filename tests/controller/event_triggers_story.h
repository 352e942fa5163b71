// A bench (a controller on the store in memory, see bench.h) with shorthands for the tests of event
// triggers.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "controller/ledger/event_triggers.h"
#include "tests/controller/bench.h"

namespace cox {

class EventTriggers : public testing::Test, public Bench {
 protected:
  using Runs = std::vector<std::string>;

  static SetTrigger a_trigger(TriggerEvent event, std::int64_t offset_s = 0, JobId job = {}) {
    SetTrigger set;
    set.trigger.event = event;
    set.trigger.program = "/bin/tell it";
    set.trigger.offset_s = offset_s;
    set.trigger.job = job;
    return set;
  }
  // Returns the refusal; "" if the trigger was set.
  std::string set(SetTrigger asked) { return refusal_of(ask(std::move(asked))); }
  std::string set_as(std::uint32_t uid, SetTrigger asked) {
    return refusal_of(ask_as(uid, std::move(asked)));
  }
  std::string set_permanent(SetTrigger asked) {
    asked.trigger.permanent = true;
    return set(std::move(asked));
  }
  // Returns the programs of triggers that ran since the last call, as "TRIGGER as UID: WORDS", such
  // as "1 as 1000: /bin/tell it n[1-2]".
  Runs runs() {
    Runs texts;
    for (const TriggerRun& run : controller->take<TriggerRun>()) {
      std::string text = std::to_string(run.trigger.value) + " as " + std::to_string(run.uid) + ":";
      for (const std::string& word : run.arguments) text += " " + word;
      texts.push_back(text);
    }
    return texts;
  }
  std::size_t left() { return std::get<TriggerList>(ask(ListTriggers{}).body).triggers.size(); }
  void drain(const std::string& node, bool drained = true) {
    ask(ActOnNodes{drained, {node}, "a fan"});
  }
  void gather() { pass_with_beats(trigger_gather + Milliseconds{1'000}, all_nodes); }

  std::vector<std::string> all_nodes = {"n1", "n2", "n3"};
};

}  // namespace cox
