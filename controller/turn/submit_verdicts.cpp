#include "controller/turn/submit_verdicts.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/base/limits.h"

namespace cox {

void SubmitVerdicts::ask(WantedVerdict one, std::int64_t ticket, Boot deadline, Effects& effects) {
  one.bytes = one.incoming->bytes + one.input.size();
  if (!may_wait(one)) {
    const Refusal why{std::to_string(waiting_.size()) +
                          " submissions already wait for this cluster's submit_program; "
                          "nothing was submitted",
                      "try again in a moment"};
    return effects.reply(one.incoming->peer, one.number, Refused{why, true});
  }
  effects.submit_runs.push_back({ticket, one.incoming->caller.uid, std::move(one.input), deadline});
  bytes_ += one.bytes;
  waiting_.emplace(ticket, std::move(one));
}

std::optional<PeerMessage> SubmitVerdicts::take(SubmitRunEnded ended) {
  auto waiting = waiting_.extract(ended.ticket);
  if (waiting.empty()) return std::nullopt;
  bytes_ -= waiting.mapped().bytes;
  PeerMessage incoming = std::move(*waiting.mapped().incoming);
  incoming.submit_answer = std::move(ended.answer);
  return incoming;
}

bool SubmitVerdicts::may_wait(const WantedVerdict& one) const {
  const auto is_its = [&](const auto& other) {
    return other.second.incoming->caller.uid == one.incoming->caller.uid;
  };
  return waiting_.size() < limits::submit_waiting_max &&
         bytes_ + one.bytes <= limits::submit_waiting_bytes_max &&
         std::cmp_less(std::ranges::count_if(waiting_, is_its),
                       limits::submit_waiting_per_user_max);
}

}  // namespace cox
