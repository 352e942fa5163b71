#include "common/messages/offences.h"

#include <algorithm>
#include <utility>

#include "common/base/limits.h"

namespace cox {
namespace {

constexpr Milliseconds mute_first{limits::mute_first_s * 1000};
constexpr Milliseconds mute_most{limits::mute_most_s * 1000};
constexpr Milliseconds mute_forgotten{limits::mute_forgotten_s * 1000};

}  // namespace

Boot Offences::note_one(const std::string& name, std::int64_t tolerated, Boot now) {
  auto at = offenders_.find(name);
  if (at == offenders_.end()) {
    if (offenders_.size() == limits::offenders_kept_max) {
      offenders_.erase(in_order_.front());
      in_order_.pop_front();
    }
    at = offenders_.emplace(name, Offender{tolerated, now, {}, mute_first}).first;
    in_order_.push_back(name);
  }
  Offender& offender = at->second;
  if (now - std::max(offender.last, offender.muted_until) >= mute_forgotten)
    offender = {tolerated, now, {}, mute_first};
  offender.last = now;
  if (offender.tolerated-- > 0) return now;
  offender.muted_until = now + offender.next;
  offender.next = std::min(2 * offender.next, mute_most);
  return offender.muted_until;
}

Boot Offences::note(const std::string& connection, const std::string& who, Boot now) {
  ++count_;
  const Boot of_connection = note_one(connection, 0, now);
  return std::max(of_connection, note_one(who, limits::offences_tolerated_max, now));
}

std::optional<Boot> Offences::muted_until(const std::string& connection, const std::string& who,
                                          Boot now) {
  Boot until = now;
  for (const std::string* name : {&connection, &who})
    if (const auto at = offenders_.find(*name); at != offenders_.end())
      until = std::max(until, at->second.muted_until);
  if (until == now) return std::nullopt;
  ++dropped_;
  return until;
}

std::optional<std::int64_t> Offences::log_due(Boot now) {
  if (logged_ && now - *logged_ < Milliseconds{limits::offence_log_interval_ms}) {
    ++unlogged_;
    return std::nullopt;
  }
  logged_ = now;
  return std::exchange(unlogged_, 0);
}

}  // namespace cox
