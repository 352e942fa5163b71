// Submissions that wait for submit_program (submit_ruling.h). Their number is limited for each user
// and in total, and their bytes in total. A submission above a limit is refused at once.
#include <algorithm>
#include <utility>

#include "common/base/limits.h"
#include "controller/turn/controller.h"

namespace cox {

bool Controller::may_wait_for_verdict(const WantedVerdict& one) const {
  const auto is_its = [&](const auto& other) {
    return other.second.said->caller.uid == one.said->caller.uid;
  };
  return verdicts_.size() < limits::submit_waiting_max &&
         verdict_bytes_ + one.bytes <= limits::submit_waiting_bytes_max &&
         std::cmp_less(std::ranges::count_if(verdicts_, is_its),
                       limits::submit_waiting_per_user_max);
}

void Controller::ask_verdicts(std::vector<WantedVerdict> verdicts, Now now) {
  for (WantedVerdict& one : verdicts) {
    one.bytes = one.said->bytes + one.input.size();
    if (!may_wait_for_verdict(one)) {
      const Refusal why{std::to_string(verdicts_.size()) +
                            " submissions already wait for this cluster's submit_program; "
                            "nothing was submitted",
                        "try again in a moment"};
      outgoing_.push_back({one.said->peer, Reply{one.number, Refused{why, true}}});
      continue;
    }
    const std::int64_t ticket = next_ticket_++;
    submit_runs_.push_back({ticket, one.said->caller.uid, std::move(one.input),
                            now.boot + cluster_.config().submit_program_timeout});
    verdict_bytes_ += one.bytes;
    verdicts_.emplace(ticket, std::move(one));
  }
}

// Puts the request back into the queue, with the answer. Every run ends in time, so every
// submission gets a reply.
void Controller::submit_run_ended(SubmitRunEnded ended) {
  auto waiting = verdicts_.extract(ended.ticket);
  if (waiting.empty() || state_ == State::Superseded) return;
  verdict_bytes_ -= waiting.mapped().bytes;
  PeerMessage& said = *waiting.mapped().said;
  said.submit_answer = std::move(ended.answer);
  queue_.put(std::move(said));
}

std::vector<SubmitRun> Controller::take_submit_runs() {
  return std::exchange(submit_runs_, {});
}

}  // namespace cox
