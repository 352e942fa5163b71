// Sends one request at a time to the controller, or to a worker that holds logs, and waits for its
// reply. Replies are matched by number; late replies are ignored.
//
// An Asker is used by one thread. It ends the program with exit code 130 when the user presses ^C.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "client/command.h"
#include "common/cluster/config.h"
#include "common/io/link.h"

namespace cox {

// Returns the reason if there is no answer now but a retry may succeed: no controller answers, or
// the controller has lost its database. Returns nothing for every other answer.
Failure temporary_failure(const Result<Answer>& answer);

class Asker {
 public:
  static Result<Asker> to_controller(Poller& poller, const Connection::Options& options);
  static Result<Asker> to_worker(Poller& poller, const Connection::Options& options,
                                 const std::string& node);

  // Returns the answer (which may be Refused), or a Refusal if none arrived in time, or if no
  // controller of this host has listened for 3 s. While it waits, ask() repeats an idempotent
  // request, since another controller may have become the leader. Any other request is sent once,
  // to the leader; if several controllers are configured, ask() finds the leader first. A request
  // that a controller turned away because it was ending is sent again.
  //
  // If a request that changes something may have been carried out although there is no answer, the
  // refusal says that the outcome is unknown and how to find it out. On stderr ask() reports that a
  // change has had no answer for 5 s, and that an answer is old because PostgreSQL does not answer.
  Result<Answer> ask(const Question& question);
  Result<Answer> ask(const Question& question, Milliseconds timeout);

  static constexpr Milliseconds answer_timeout{10'000};  // for a question
  static constexpr Milliseconds change_timeout{30'000};  // for a request that changes the cluster

 private:
  // `server` names the other side in refusals: "the worker of n1". `if_silent` advises the user
  // what to do if that side does not answer over TCP.
  Asker(Poller& poller, std::vector<std::string> endpoints, std::string server,
        std::string if_silent)
      : poller_(&poller),
        endpoints_(std::move(endpoints)),
        server_(std::move(server)),
        if_silent_(std::move(if_silent)) {}
  static Result<Asker> connect(Asker asker, const Connection::Options& options);
  // A request that waits for its reply.
  struct Sent {
    Request request;
    bool changes = false;      // whether the request changes something
    bool was_reached = false;  // a process listened at an endpoint, so the request may have arrived
    Milliseconds heard{0};     // how long it had been waited for when a process listened last
    int copies = 0;
    int turned_away = 0;  // how many copies a controller that was ending did not carry out

    bool is_turned_away() const { return copies > 0 && copies == turned_away; }
    bool printed_waiting = false;
  };

  Result<Answer> exchange(const Question& question, Milliseconds timeout);
  std::optional<Answer> receive(Sent& sent);
  void show_age(const Reply& reply);
  bool has_listener() const;
  void look_for_listener(Sent& sent, Milliseconds waited) const;
  bool is_given_up(const Sent& sent, Milliseconds waited) const;
  Refusal timeout_refusal(Milliseconds waited) const;
  Refusal no_reply_refusal(const Sent& sent, Milliseconds waited) const;

  Poller* poller_;
  std::unique_ptr<Connection> connection_;
  std::vector<std::string> endpoints_;
  std::string server_;
  std::string if_silent_;
  std::int64_t number_ = 0;
  bool knows_leader_ = false;
  bool age_shown_ = false;
};

// Returns the body of the reply with this number, or a Refused if the other side rejected the
// messages or is not the leader. Returns nothing if the messages include none of these.
std::optional<Answer> reply_in(std::vector<Message> messages, std::int64_t number);

// Advises the user how to find out whether a request that changes something was carried out.
std::string advice_to_verify(const Question& question);

// Returns the warning that the answer is old because PostgreSQL is away; empty if it is current.
std::string age_text(const Reply& reply);

// Returns the endpoints and keys of the controller from the configuration. Fails if a key is needed
// and cannot be read.
Result<Connection::Options> controller_options(const ClientConfig& config);

// Waits for `time`. Ends the program with exit code 130 if the user presses ^C meanwhile.
void pause_for(Poller& poller, Milliseconds time);

}  // namespace cox
