#include "client/io/private/ping.h"

#include <optional>

#include "common/io/clock.h"
#include "common/io/endpoint.h"

namespace cox {
namespace {

constexpr Milliseconds ping_wait{3'000};
constexpr Milliseconds no_wait{0};

// Returns the Ping of a controller that sent these messages. A reply, even a refusal, shows that
// the controller is up. Returns nothing if there is no reply among the messages.
std::optional<Ping> pinged(const std::vector<Message>& messages) {
  Ping ping;
  ping.is_up = true;
  for (const Message& message : messages) {
    if (const auto* standby = std::get_if<NotLeader>(&message)) {
      ping.is_standby = true;
      ping.hindrance = standby->hindrance;
      return ping;
    }
    const auto* reply = std::get_if<Reply>(&message);
    if (reply == nullptr) continue;
    if (const auto* view = std::get_if<ClusterView>(&reply->body)) ping.cluster = view->name;
    return ping;
  }
  return std::nullopt;
}

Ping ping_one(const Connection::Options& options) {
  const auto poller = Poller::create();
  auto connection = Connection::open(options);
  if (!connection) return {};
  (*connection)->add_to(*poller);
  (*connection)->send({Request{1, ShowCluster{}}});
  const Boot end = read_clock().boot + (somebody_listens(options.endpoint) ? ping_wait : no_wait);
  for (;;) {
    if (auto answer = pinged((*connection)->receive())) return *answer;
    const Milliseconds left = end - read_clock().boot;
    if (left <= Milliseconds{0} || poller->is_end_requested()) break;
    poller->wait(left);
  }
  (*connection)->drop_unsent_at_close();
  return {};
}

}  // namespace

std::vector<Ping> ping_controllers(const Connection::Options& options) {
  std::vector<Ping> pings;
  for (const std::string& endpoint : endpoints_of(options.endpoint)) {
    Connection::Options one = options;
    one.endpoint = endpoint;
    pings.push_back(ping_one(one));
    pings.back().endpoint = endpoint;
  }
  return pings;
}

}  // namespace cox
