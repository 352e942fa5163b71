// Records which peers have sent messages that no program of ours would send (offences). Such a peer
// is muted: its messages are dropped for a time, because ZeroMQ cannot close a connection. Each
// offence mutes its connection. The sender is muted too, on all its connections, after
// offences_tolerated_max of them. The first time lasts ten seconds; each further offence doubles
// it; old offences are forgotten. The number of recorded peers and the rate of log lines are
// bounded (limits.h).
//
// Used by common/io/listener.cpp; pure.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "common/base/time.h"

namespace cox {

class Offences {
 public:
  // Records an offence of the sender `who`, and returns until when its connection or the sender is
  // muted.
  Boot note(const std::string& connection, const std::string& who, Boot now);
  // Returns until when the connection or its sender is muted; nothing if neither is. If one is,
  // counts the present message as dropped.
  std::optional<Boot> muted_until(const std::string& connection, const std::string& who, Boot now);

  std::int64_t count() const { return count_; }      // offences
  std::int64_t dropped() const { return dropped_; }  // messages that were dropped

  // If it is time for a log line about an offence, returns how many offences had none since the
  // last line. Otherwise counts this one.
  std::optional<std::int64_t> log_due(Boot now);

 private:
  struct Offender {
    std::int64_t tolerated = 0;  // how many more offences do not mute it
    Boot last{};
    Boot muted_until{};
    Milliseconds next{0};  // how long the next offence will mute the offender
  };

  Boot note_one(const std::string& name, std::int64_t tolerated, Boot now);
  std::map<std::string, Offender> offenders_;
  std::deque<std::string> in_order_;  // the oldest record is dropped first
  std::int64_t count_ = 0;
  std::int64_t dropped_ = 0;
  std::optional<Boot> logged_;
  std::int64_t unlogged_ = 0;
};

}  // namespace cox
