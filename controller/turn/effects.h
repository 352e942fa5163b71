// What must be done outside of the controller's thread: messages to send, lines to log, mail,
// programs to run. main.cpp and the simulator take these effects and carry them out.
#pragma once

#include <iterator>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/base/log_line.h"
#include "controller/ledger/reaction.h"
#include "controller/turn/notices.h"

namespace cox {

struct Effects {
  std::vector<Outgoing> messages;
  std::vector<LogLine> log;
  std::vector<Notice> notices;
  std::vector<FenceOrder> fences;
  std::vector<SiteRun> site_runs;
  std::vector<TriggerRun> trigger_runs;
  std::vector<SubmitRun> submit_runs;
  // The program is to restart and read its settings file again. Once true, this stays true.
  bool restarts = false;

  void warn(std::string text) { log.push_back({LogLevel::Warning, std::move(text)}); }
  void inform(std::string text) { log.push_back({LogLevel::Info, std::move(text)}); }
  void reply(const PeerName& peer, std::int64_t number, decltype(Reply::body) body) {
    messages.push_back({peer, Reply{number, std::move(body)}});
  }
  // Appends all effects of `more`.
  void add(Effects&& more);

  template <class Effect>
  std::vector<Effect>& all() {
    return std::get<std::vector<Effect>&>(
        std::tie(messages, log, notices, fences, site_runs, trigger_runs, submit_runs));
  }
};

inline void Effects::add(Effects&& more) {
  const auto append = [&]<class Effect>(std::vector<Effect>& all) {
    std::vector<Effect>& its = more.all<Effect>();
    all.insert(all.end(), std::make_move_iterator(its.begin()), std::make_move_iterator(its.end()));
  };
  std::apply([&](auto&... each) { (append(each), ...); },
             std::tie(messages, log, notices, fences, site_runs, trigger_runs, submit_runs));
  restarts = restarts || more.restarts;
}

}  // namespace cox
