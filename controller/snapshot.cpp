#include "controller/react.h"
namespace cox {
void on_snapshot(Reaction& r, const PeerName& peer, std::int64_t number, const TakeSnapshot&) {
  r.reply(peer, number, Refused{{"", ""}});
}
}  // namespace cox
