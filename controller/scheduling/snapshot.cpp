#include "controller/scheduling/snapshot.h"

#include <utility>

#include "common/base/limits.h"
#include "controller/feed/engine_input.h"
#include "schedule/top/snapshot.h"

namespace cox {
namespace {

Failure take_snapshot(Reaction& r) {
  const schedule::Input input = schedule::input_of(r.engine(), r.now(), titles_of(r.cluster()));
  std::string text = schedule::text_of(input);
  if (text.size() > limits::snapshot_bytes_max)
    return Refusal{"the snapshot has " + std::to_string(text.size()) + " bytes; the limit is " +
                       std::to_string(limits::snapshot_bytes_max),
                   "take it when fewer jobs wait"};
  r.soft_state().snapshot.number += 1;
  r.soft_state().snapshot.text = std::move(text);
  return std::nullopt;
}

}  // namespace

void on_snapshot(Reaction& r, const PeerName& peer, std::int64_t number, const TakeSnapshot& ask) {
  if (ask.snapshot == 0)
    if (auto failure = take_snapshot(r)) return r.reply(peer, number, Refused{*failure});
  KeptSnapshot& kept = r.soft_state().snapshot;
  const std::int64_t offset = ask.snapshot == 0 ? 0 : ask.offset;
  const bool known = ask.snapshot == 0 || ask.snapshot == kept.number;
  if (!known || offset < 0 || std::cmp_greater_equal(offset, kept.text.size()))
    return r.reply(peer, number,
                   Refused{{"this snapshot is no longer there: another has been taken since",
                            "take it again"}});
  SnapshotPart part;
  part.snapshot = kept.number;
  part.bytes = std::ssize(kept.text);
  part.data = kept.text.substr(static_cast<std::size_t>(offset), limits::snapshot_part_bytes_max);
  const bool last = offset + std::ssize(part.data) == part.bytes;
  if (last) kept.text = {};  // frees the text, which may be large
  r.reply(peer, number, std::move(part));
}

}  // namespace cox
