#include "client/io/ask.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "client/io/screen_output.h"
#include "client/text/moments.h"
#include "common/base/backoff.h"
#include "common/base/moment_text.h"
#include "common/base/text.h"
#include "common/io/clock.h"
#include "common/io/endpoint.h"
#include "common/messages/leader_follower.h"
#include "common/messages/standing_by.h"

namespace cox {
namespace {

constexpr int exit_interrupted = 130;  // 128 + SIGINT, the exit code of shells
// A request is given up if no process has listened on any of its endpoints for this time. A
// controller that only restarts listens again sooner.
constexpr Milliseconds nobody_listens_wait{3'000};
// The first pause (here) and the longest pause (next line) between copies of an unanswered request.
// Copies are needed because a controller that ends before it replies loses the request.
constexpr Milliseconds send_again_first{2'000};
constexpr Milliseconds send_again_most{4'000};
// The pause after a controller that was ending has turned the request away. By then it must have
// ended, since a message that it no longer reads is lost (controller/io/leader_host.cpp).
constexpr Milliseconds turned_away_pause{1'000};
constexpr Milliseconds waiting_printed_after{5'000};

void say_on_stderr(const std::string& text) {
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, printable(text).c_str());
}

void leave_if_asked(Poller& poller) {
  if (poller.is_end_requested()) std::exit(exit_interrupted);
}

// Returns whether the sender of this message has not carried out the request, and no controller is
// known to lead at the moment: it was ending.
bool turns_away(const Message& message, std::int64_t number) {
  const auto* other = std::get_if<NotLeader>(&message);
  return other != nullptr && other->number == number && other->leader.empty() &&
         other->hindrance.empty();
}

}  // namespace

std::optional<Answer> reply_in(std::vector<Message> messages, std::int64_t number) {
  for (auto& message : messages) {
    if (auto* reply = std::get_if<Reply>(&message))
      if (reply->number == number) return std::move(reply->body);
    if (auto* rejected = std::get_if<Rejected>(&message)) return Answer{Refused{rejected->why}};
    const auto* other = std::get_if<NotLeader>(&message);
    if (other != nullptr && other->leader.empty() && !other->hindrance.empty())
      return Answer{
          Refused{{"the controller runs but does not lead: " + printable(other->hindrance),
                   "running jobs continue and nothing accepted is lost; try again in a "
                   "moment. 'cox doctor' on the controller's host shows more"},
                  true}};
    if (other != nullptr)
      return Answer{Refused{
          {"this controller is a standby" +
               (other->leader.empty() ? "" : "; the leader is " + printable(other->leader)) +
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

Failure temporary_failure(const Result<Answer>& answer) {
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

Result<Asker> Asker::to_controller(Poller& poller, const Connection::Options& options) {
  return connect(Asker(poller, endpoints_of(options.endpoint), "the controller",
                       "check that the controller runs there, and that controller_key matches its "
                       "controller.pub"),
                 options);
}

Result<Asker> Asker::to_worker(Poller& poller, const Connection::Options& options,
                               const std::string& node) {
  return connect(Asker(poller, endpoints_of(options.endpoint), "the worker of " + node,
                       "check that it runs ('cox nodes'), and that key_dir on " + node +
                           " has the .pub file of this host's client key"),
                 options);
}

Result<Asker> Asker::connect(Asker asker, const Connection::Options& options) {
  auto connection = Connection::open(options);
  if (!connection) return connection.refusal();
  asker.connection_ = std::move(connection).value();
  asker.connection_->add_to(*asker.poller_);
  return asker;
}

Refusal Asker::timeout_refusal(Milliseconds waited) const {
  return {server_ + " does not answer at " + joined(endpoints_, ", ") + " (waited " +
              std::to_string(waited.count() / 1000) + " s)",
          std::ranges::any_of(endpoints_, any_by_tcp)
              ? if_silent_
              : "check that it runs; 'cox doctor' shows more; 'cox up' starts a private cluster, "
                "or with the same --dir a stopped one again"};
}

std::string advice_to_verify(const Question& question) {
  const auto* submit = std::get_if<SubmitJob>(&question);
  if (submit == nullptr) return "check whether it was done before you repeat the command";
  return "the same command with --request-id=" + submit->request_id +
         " submits the job only if it was not accepted before, and shows its id";
}

std::string age_text(const Reply& reply) {
  if (reply.as_of == Wall{}) return "";
  std::string text =
      "warning: PostgreSQL does not answer; this is the state of " + moment_text(reply.as_of);
  if (!reply.unrecorded.empty())
    text += "; not recorded yet, and lost if the controller fails: changes of " +
            joined(reply.unrecorded, ", ");
  return text;
}

// Returns the refusal for a request that got no reply in time. If the request changes something and
// may have arrived, the refusal says that its outcome is unknown.
Refusal Asker::no_reply_refusal(const Sent& sent, Milliseconds waited) const {
  Refusal why = timeout_refusal(waited);
  if (sent.is_turned_away())
    return {"no controller leads at " + joined(endpoints_, ", ") + " (waited " +
                std::to_string(waited.count() / 1000) + " s)",
            "see the controller's log; 'cox doctor' shows more"};
  if (!sent.changes || !sent.was_reached) return why;
  return {why.fact + "; whether the request was or will be carried out is unknown",
          advice_to_verify(sent.request.body)};
}

bool Asker::has_listener() const {
  return std::ranges::any_of(endpoints_, somebody_listens);
}

// Warns on stderr if the reply shows an old state because PostgreSQL does not answer. It warns only
// once: the replies to the pages of a long listing are one answer for the user.
void Asker::show_age(const Reply& reply) {
  const std::string text = age_text(reply);
  if (text.empty() || std::exchange(age_shown_, true)) return;
  say_on_stderr(localised_text(text, screen_now(STDERR_FILENO)));
}

std::optional<Answer> Asker::receive(Sent& sent) {
  std::vector<Message> messages = connection_->receive();
  sent.turned_away += static_cast<int>(std::erase_if(
      messages, [&](const Message& one) { return turns_away(one, sent.request.number); }));
  const auto is_standby = [](const Message& m) { return std::holds_alternative<NotLeader>(m); };
  // A standby's NotLeader is ignored if several copies of a change were sent: an earlier copy may
  // have reached the controller while it still led, so the change may have been made.
  if (sent.changes && sent.copies > 1) std::erase_if(messages, is_standby);
  for (const Message& message : messages)
    if (const auto* reply = std::get_if<Reply>(&message))
      if (reply->number == sent.request.number) show_age(*reply);
  std::optional<Answer> answer = reply_in(std::move(messages), sent.request.number);
  auto* refused = answer ? std::get_if<Refused>(&*answer) : nullptr;
  if (refused != nullptr && has_unknown_outcome(*refused))
    refused->why.hint = advice_to_verify(sent.request.body);
  return answer;
}

Result<Answer> Asker::ask(const Question& question) {
  return ask(question, is_read_only(Request{0, question}) ? answer_timeout : change_timeout);
}

Result<Answer> Asker::ask(const Question& question, Milliseconds timeout) {
  const bool is_to_find = endpoints_.size() > 1 && !knows_leader_;
  if (is_to_find && !is_idempotent(Request{0, question})) {
    auto leads = exchange(ShowCluster{}, timeout);
    if (!leads || std::holds_alternative<Refused>(*leads)) return leads;
  }
  return exchange(question, timeout);
}

void Asker::look_for_listener(Sent& sent, Milliseconds waited) const {
  if (waited == Milliseconds{0} || !has_listener()) return;
  sent.was_reached = true;
  sent.heard = waited;
}

// Returns whether to stop waiting because the controller is gone. A change that may have reached it
// is not given up if the next controller answers it, nor is one that was turned away.
bool Asker::is_given_up(const Sent& sent, Milliseconds waited) const {
  const bool may_be_repeated = is_idempotent(sent.request) || sent.is_turned_away();
  const bool next_may_answer = sent.changes && sent.was_reached && may_be_repeated;
  return !next_may_answer && waited - sent.heard >= nobody_listens_wait;
}

// Sends the request, repeats it if it is idempotent, and waits for the reply. In each round it
// reads received messages before it sends a copy: a copy sent after a refusal had arrived could
// still be carried out. A request that a controller has turned away is sent again in any case.
Result<Answer> Asker::exchange(const Question& question, Milliseconds timeout) {
  Sent sent{Request{++number_, question}};
  sent.changes = !is_read_only(sent.request);
  sent.was_reached = sent.changes && has_listener();
  const Boot began = read_clock().boot;
  Backoff pause(send_again_first, send_again_most, random_seed());
  Milliseconds send_again{0};  // value of `waited` at which the next copy is sent
  bool is_to_resend = false;   // because the last copy was turned away
  for (;;) {
    if (auto answer = receive(sent)) {
      knows_leader_ = true;
      return std::move(*answer);
    }
    const Milliseconds waited = read_clock().boot - began;
    look_for_listener(sent, waited);
    if (waited >= timeout || is_given_up(sent, waited)) return no_reply_refusal(sent, waited);
    if (sent.is_turned_away() && !std::exchange(is_to_resend, true))
      send_again = waited + turned_away_pause;
    if (waited >= send_again) {
      connection_->send({sent.request});
      sent.copies += 1;
      is_to_resend = false;
      send_again = is_idempotent(sent.request) ? waited + pause.failed() : timeout;
    }
    if (sent.changes && waited >= waiting_printed_after &&
        !std::exchange(sent.printed_waiting, true))
      say_on_stderr(server_ + " has not answered for " + std::to_string(waited.count() / 1000) +
                    " s; still waiting");
    constexpr Milliseconds look_again{500};
    poller_->wait(std::min(timeout - waited, look_again));
    leave_if_asked(*poller_);
  }
}

}  // namespace cox
