// Who has sent what nobody of ours would send, and is not listened to for a time: ZeroMQ can close
// no peer. It is the connection; and whoever is behind it, should he come with another one and
// offend again. It is ten seconds, and with each further offence twice as long; who behaves is
// forgiven. How many are kept, and how often the log is told, is bounded (limits.h).
//
// For whoever listens (common/io/listener.cpp); pure.
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
  // Until when the connection is muted for this one.
  Boot note(const std::string& connection, const std::string& who, Boot now);
  // Until when it or its owner is muted, if so; what is said meanwhile is counted.
  std::optional<Boot> muted_until(const std::string& connection, const std::string& who, Boot now);

  std::int64_t count() const { return count_; }      // offences
  std::int64_t dropped() const { return dropped_; }  // said by the muted

  // Whether the log is to be told of one now, and of how many before that it was not.
  std::optional<std::int64_t> log_due(Boot now);

 private:
  struct Offender {
    std::int64_t tolerated = 0;  // so many more
    Boot last{};
    Boot muted_until{};
    Milliseconds next{0};  // for so long, the next time
  };

  Boot note_one(const std::string& name, std::int64_t tolerated, Boot now);
  std::map<std::string, Offender> offenders_;
  std::deque<std::string> in_order_;  // whoever came first is forgotten first
  std::int64_t count_ = 0;
  std::int64_t dropped_ = 0;
  std::optional<Boot> logged_;
  std::int64_t unlogged_ = 0;
};

}  // namespace cox
