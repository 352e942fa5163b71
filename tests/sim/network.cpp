#include "tests/sim/network.h"

#include "common/base/check.h"
#include "common/messages/codec.h"

namespace cox::sim {

std::string place_of(const std::string& end) {
  constexpr std::string_view worker = "worker-";
  if (end.starts_with(worker)) return end.substr(worker.size(), end.find('#') - worker.size());
  return end.starts_with("client-") ? people_place : end;
}

const Network::Cut* Network::cut_between(const std::string& from, const std::string& to) {
  std::erase_if(cuts_, [&](const Cut& cut) { return cut.until <= scene_.agenda.now(); });
  for (const Cut& cut : cuts_)
    if (cut.from.contains(place_of(from)) && cut.to.contains(place_of(to))) return &cut;
  return nullptr;
}

void Network::cut(Fault fault, const Places& from, const Places& to, Milliseconds time) {
  cuts_.push_back({fault, from, to, scene_.agenda.now() + time});
}

void Network::send(const std::string& from, const std::string& to, const Message& message) {
  Faults& faults = scene_.faults;
  Milliseconds delay = scene_.random.time(1, 30);
  bool overtakes = faults.happens(Fault::Reordering);
  if (const Cut* cut = cut_between(from, to)) {
    // Four of five messages are lost; the others wait in a buffer until the cut ends.
    faults.note(cut->fault);
    if (!faults.dice(cut->fault).one_in(5)) return;
    delay += cut->until - scene_.agenda.now();
  }
  if (faults.happens(Fault::Loss)) return;
  if (faults.happens(Fault::Delay)) {
    delay += faults.dice(Fault::Delay).time(100, 4'000);
    overtakes = true;  // later messages may arrive first
  }
  const std::string frame = encode(message);
  if (faults.happens(Fault::Duplication))
    carry(from, to, frame, delay + faults.dice(Fault::Duplication).time(0, 3'000));
  if (!overtakes) {
    Milliseconds& last = arrives_[{from, to}];
    last = std::max(last, scene_.agenda.now() + delay);
    delay = last - scene_.agenda.now();
  }
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
