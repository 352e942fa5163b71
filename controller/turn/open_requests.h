// The requests that the controller has received and not yet answered, and those it refused lately.
// With both, a refusal is final: a repeat of a request that may still be carried out is not
// refused, and a request that was refused is not carried out because a repeat arrives late.
//
// Records requests that change something, and requests that may run submit_program. Requests that
// create steps are not recorded: srun repeats them until they are granted. A submission is
// identified by its user and its request id, on any connection; every other request by its
// connection and number. Pure; used only by the controller's thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "controller/change/event.h"
#include "controller/ledger/reaction.h"

namespace cox {

class OpenRequests {
 public:
  static bool records(const Request& request);
  // Returns true if the request repeats one that is open. The sender then gets that one's answer.
  bool joins(const PeerMessage& said, const Request& request);
  // Returns the refusal that an earlier copy of the request got lately; null: none.
  const Refused* refusal_of(const PeerMessage& said, const Request& request, Boot now);
  void open(const PeerMessage& said, const Request& request);
  // Records the answer to a request. Returns the same answer for the senders of repeats.
  std::vector<Outgoing> close(const PeerName& peer, const Reply& reply, Boot now);

  std::size_t size() const { return open_.size(); }

 private:
  using Address = std::pair<PeerName, std::int64_t>;  // a connection, and the request's number

  void remember(std::string copy, const Refused& refused, Boot now);
  void forget_old(Boot now);

  // The senders of each open request, by its identity, and the request that each sender waits for.
  std::map<std::string, std::vector<Address>> open_;
  std::map<Address, std::string> senders_;
  // By the identity of the request and its sender.
  std::map<std::string, Refused> refused_;
  std::deque<std::pair<Boot, std::string>> refused_at_;  // oldest first
};

}  // namespace cox
