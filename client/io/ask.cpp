#include "client/io/ask.h"

#include <algorithm>
#include <cstdlib>

#include "common/backoff.h"
#include "common/io/clock.h"
#include "common/io/endpoint.h"
#include "common/standing_by.h"
#include "common/text.h"

namespace cox {
namespace {

constexpr int exit_interrupted = 130;  // 128 + SIGINT, as shells count
// A controller that is being restarted is back within this; else nobody is there.
constexpr Milliseconds nobody_listens_wait{3'000};
// What a controller had received that was ended before it answered is lost.
constexpr Milliseconds send_again_first{2'000};
constexpr Milliseconds send_again_most{4'000};

void leave_if_asked(Poller& poller) {
  if (poller.asked_to_end()) std::exit(exit_interrupted);
}

}  // namespace

std::optional<Answer> reply_in(std::vector<Message> messages, std::int64_t number) {
  for (auto& message : messages) {
    if (auto* reply = std::get_if<Reply>(&message))
      if (reply->number == number) return std::move(reply->body);
    if (auto* rejected = std::get_if<Rejected>(&message)) return Answer{Refused{rejected->why}};
    if (const auto* other = std::get_if<NotLeader>(&message))
      return Answer{
          Refused{{"this controller stands by" +
                       (other->leader.empty() ? "" : "; " + printable(other->leader) + " leads") +
                       (other->hindrance.empty() ? "" : "; " + printable(other->hindrance)),
                   "name all controllers in [client] controller, separated by commas"},
                  true}};
  }
  return std::nullopt;
}

Result<Connection::Options> controller_options(const ClientConfig& config) {
  Connection::Options options{config.controller, config.controller_key, {}};
  if (config.key_file.empty()) return options;
  auto key = read_key_file(config.key_file);
  if (!key && any_by_tcp(config.controller)) return key.refusal();
  if (key) options.key = *key;
  return options;
}

Failure away_why(const Result<Answer>& answer) {
  if (!answer) return answer.refusal();
  const auto* refused = std::get_if<Refused>(&*answer);
  if (refused == nullptr || !refused->retry) return std::nullopt;
  return refused->why;
}

void pause_for(Poller& poller, Milliseconds time) {
  const Boot end = read_clock().boot + time;
  for (;;) {
    const Milliseconds left = end - read_clock().boot;
    if (left <= Milliseconds{0}) return;
    poller.wait(left);
    leave_if_asked(poller);
  }
}

Result<Asker> Asker::connect(Poller& poller, const Connection::Options& options, std::string who) {
  Asker asker(poller, endpoints_of(options.endpoint), std::move(who));
  auto connection = Connection::open(options);
  if (!connection) return connection.refusal();
  asker.connection_ = std::move(connection).value();
  asker.connection_->add_to(poller);
  return asker;
}

Refusal Asker::silence(Milliseconds timeout) const {
  return {who_ + " does not answer at " + joined(endpoints_, ", ") + " (waited " +
              std::to_string(timeout.count() / 1000) + " s)",
          std::ranges::any_of(endpoints_, any_by_tcp)
              ? "does it run there, with the public key that we know (controller_key)? With "
                "another one there is no answer"
              : "does it run? 'cox up' starts a private cluster, and goes on with a stopped one"};
}

Result<Answer> Asker::ask(const Question& question, Milliseconds timeout) {
  const bool is_to_find = endpoints_.size() > 1 && !knows_leader_;
  if (is_to_find && !may_be_done_twice(Request{0, question})) {
    auto leads = exchange(ShowCluster{}, timeout);
    if (!leads || std::holds_alternative<Refused>(*leads)) return leads;
  }
  return exchange(question, timeout);
}

Result<Answer> Asker::exchange(const Question& question, Milliseconds timeout) {
  const Request request{++number_, question};
  const Boot began = read_clock().boot;
  Backoff pause(send_again_first, send_again_most, random_seed());
  Milliseconds send_again{0};  // when
  for (;;) {
    const Milliseconds waited = read_clock().boot - began;
    if (waited >= timeout) return silence(timeout);
    if (waited >= nobody_listens_wait && std::ranges::none_of(endpoints_, somebody_listens))
      return silence(nobody_listens_wait);
    if (waited >= send_again) {
      connection_->send({request});
      send_again = may_be_done_twice(request) ? waited + pause.failed() : timeout;
    }
    constexpr Milliseconds look_again{500};
    poller_->wait(std::min(timeout - waited, look_again));
    leave_if_asked(*poller_);
    if (auto answer = reply_in(connection_->receive(), request.number)) {
      knows_leader_ = true;
      return std::move(*answer);
    }
  }
}

}  // namespace cox
