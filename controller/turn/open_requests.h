// The requests that the controller has received and not yet answered, and those that it refused in
// the last 10 minutes. With both, a refusal is final: a repeat of a request that may still be
// carried out is not refused, and a request that was refused is not carried out because a repeat
// arrives late.
//
// Records requests that change something, and requests that may run submit_program. Requests that
// create steps are not recorded: srun repeats them until they are granted. A submission is
// identified by its user and its request id, on any connection; every other request by its
// connection and its number. Pure; used only by the controller's thread.
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
  // Returns true if the request repeats one that has no answer yet. The sender then gets the same
  // answer.
  bool joins(const PeerMessage& incoming, const Request& request);
  // Returns the refusal that an earlier copy of the request got in the last 10 minutes; null: none.
  const Refused* refusal_of(const PeerMessage& incoming, const Request& request, Boot now);
  void open(const PeerMessage& incoming, const Request& request);
  // Ends the record of a request that gets this reply. Returns the same reply for the other senders
  // that have repeated the request.
  std::vector<Outgoing> close(const PeerName& peer, const Reply& reply, Boot now);

  std::size_t size() const { return open_.size(); }

 private:
  using Address = std::pair<PeerName, std::int64_t>;  // a connection, and the request's number

  void remember(std::string copy, const Refused& refused, Boot now);
  void forget_old(Boot now);

  // For each open request, by its identity: the connections that wait for its answer, each with the
  // number of its request.
  std::map<std::string, std::vector<Address>> open_;
  std::map<Address, std::string> senders_;
  // Recent refusals, by the identity of the request and its sender (copies_of()).
  std::map<std::string, Refused> refused_;
  std::deque<std::pair<Boot, std::string>> refused_at_;  // oldest first
};

}  // namespace cox
