#include "tests/sim/network.h"

#include "common/check.h"
#include "common/codec.h"

namespace cox::sim {

std::string node_of_end(const std::string& end) {
  constexpr std::string_view prefix = "worker-";
  if (!end.starts_with(prefix)) return "";
  return end.substr(prefix.size(), end.find('#') - prefix.size());
}

Milliseconds Network::cut_until(const std::string& from, const std::string& to) const {
  const auto sender = cuts_.find(node_of_end(from));
  if (sender != cuts_.end() && sender->second.from_node) return sender->second.until;
  const auto receiver = cuts_.find(node_of_end(to));
  if (receiver != cuts_.end() && receiver->second.to_node) return receiver->second.until;
  return Milliseconds{0};
}

void Network::cut(const std::string& node, bool from_node, bool to_node, Milliseconds time) {
  cuts_[node] = {from_node, to_node, scene_.agenda.now() + time};
}

void Network::send(const std::string& from, const std::string& to, const Message& message) {
  const Faults& faults = scene_.faults;
  Milliseconds delay = scene_.random.time(1, 30);
  if (faults.active) {
    const Milliseconds cut = cut_until(from, to);
    if (cut > scene_.agenda.now()) {
      // Most is lost; some waits in a buffer and comes very late.
      if (!scene_.random.one_in(5)) return;
      delay += cut - scene_.agenda.now();
    }
    if (scene_.random.per_mille(faults.loss_per_mille)) return;
    if (scene_.random.per_mille(faults.slow_per_mille)) delay += scene_.random.time(100, 4000);
  }
  const std::string frame = encode(message);
  if (faults.active && scene_.random.per_mille(faults.duplicate_per_mille))
    carry(from, to, frame, delay + scene_.random.time(0, 3000));
  carry(from, to, frame, delay);
}

void Network::carry(const std::string& from, const std::string& to, const std::string& frame,
                    Milliseconds delay) {
  scene_.agenda.after(delay, [this, from, to, frame, sent = scene_.agenda.now()] {
    auto messages = decode(frame);
    CHECK(messages.ok() && messages->size() == 1);
    deliver_(from, to, std::move(messages->front()), sent);
  });
}

}  // namespace cox::sim
