// Reads that the controller has requested from its store and that do not wait for commits, each
// with the client that gets the answer. Used only by Controller. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "controller/change/store.h"
#include "controller/change/wanted_read.h"
#include "controller/turn/effects.h"

namespace cox {

class StoreReads {
 public:
  explicit StoreReads(Store& store) : store_(store) {}

  std::int64_t next_ticket() { return next_ticket_++; }
  // Requests the reads. Reads beyond the limits are not requested; `effects` gets a refusal for
  // each.
  void ask(std::vector<WantedRead> reads, Effects& effects);
  // Requests a read of the job with this request id, to answer a repeated submission.
  void ask_request(const PeerName& peer, std::int64_t number, const std::string& request_id,
                   std::int64_t jobs_asked);
  // Returns the read with this ticket and removes it; nullopt if there is none, since the ticket
  // belongs to another class of reads.
  std::optional<WantedRead> take(std::int64_t ticket);

 private:
  bool may_ask(const PeerName& peer) const;

  Store& store_;
  std::map<std::int64_t, WantedRead> reads_;
  std::int64_t next_ticket_ = 1;
};

// Reads some rows again and again, at an interval.
class PeriodicRead {
 public:
  explicit PeriodicRead(Milliseconds interval) : interval_(interval) {}

  bool is_due(Boot now) const { return !ticket_ && now - asked_ >= interval_; }
  void begin(std::int64_t ticket, Boot now) {
    ticket_ = ticket;
    asked_ = now;
  }
  std::int64_t ticket() const { return *ticket_; }  // REQUIRES: a read is in progress
  // Returns whether this is the answer to the read in progress. If so, that read has ended.
  bool take(std::int64_t ticket) {
    if (ticket_ != ticket) return false;
    ticket_.reset();
    return true;
  }
  // Makes take() ignore the answer to the read in progress, whose rows are out of date.
  void forget() { ticket_.reset(); }

 private:
  Milliseconds interval_;
  std::optional<std::int64_t> ticket_;  // of the read in progress; empty: there is none
  Boot asked_{};
};

}  // namespace cox
