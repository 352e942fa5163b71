// Submissions that wait for submit_program (submit_ruling.h). Their number is limited for each user
// and in total, and their bytes in total. Used only by Controller. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "controller/ledger/reaction.h"
#include "controller/turn/effects.h"

namespace cox {

class SubmitVerdicts {
 public:
  // Requests a run of the program, which must end by `deadline`. A submission above a limit is
  // refused at once. `ticket`: unique.
  void ask(WantedVerdict one, std::int64_t ticket, Boot deadline, Effects& effects);
  // Returns the request with the program's answer, to be handled again; nullopt if no submission
  // waits for this run.
  std::optional<PeerMessage> take(SubmitRunEnded ended);

 private:
  bool may_wait(const WantedVerdict& one) const;

  std::map<std::int64_t, WantedVerdict> waiting_;  // by ticket
  std::size_t bytes_ = 0;                          // bytes of memory of all submissions that wait
};

}  // namespace cox
