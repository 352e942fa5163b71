// One exchange at a time with the controller, or with a worker that holds logs. Replies are told
// apart by their number; one that comes too late is passed over.
//
// An Asker is used by one thread and ends the program with 130 when the user presses ^C.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "client/command.h"
#include "common/cluster/config.h"
#include "common/io/link.h"

namespace cox {

// Why there is no answer now though there may be one later: nobody answers, or the controller has
// not got its database.
Failure away_why(const Result<Answer>& answer);

class Asker {
 public:
  static Result<Asker> to_controller(Poller& poller, const Connection::Options& options);
  static Result<Asker> to_worker(Poller& poller, const Connection::Options& options,
                                 const std::string& node);

  // The answer (which may be Refused), or a Refusal: nobody answered in time. What may be done
  // twice goes out again and again meanwhile: who was asked may have been replaced. What must not
  // goes out once, to who leads: of several controllers that is found out first.
  //
  // If a request that changes something may have been carried out although there is no answer, the
  // refusal says that the outcome is unknown and how to find it out. Standard error shows that it
  // still waits, and that an answer is older because PostgreSQL is away.
  Result<Answer> ask(const Question& question);
  Result<Answer> ask(const Question& question, Milliseconds timeout);

  static constexpr Milliseconds answer_timeout{10'000};  // for a question
  static constexpr Milliseconds change_timeout{30'000};  // for a request that changes something

 private:
  // `who` names the other side in refusals: "the worker of n1". `if_silent` advises the user what
  // to do if that side does not answer over TCP.
  Asker(Poller& poller, std::vector<std::string> endpoints, std::string who, std::string if_silent)
      : poller_(&poller),
        endpoints_(std::move(endpoints)),
        who_(std::move(who)),
        if_silent_(std::move(if_silent)) {}
  static Result<Asker> connect(Asker asker, const Connection::Options& options);
  // An exchange under way.
  struct Sent {
    Request request;
    bool changes = false;      // something: its outcome matters
    bool was_reached = false;  // somebody listened, so that the request may have arrived
    int copies = 0;
    bool told_waiting = false;
  };

  Result<Answer> exchange(const Question& question, Milliseconds timeout);
  std::optional<Answer> receive(const Sent& sent);
  void show_age(const Reply& reply);
  bool somebody_listens_now() const;
  Refusal silence(Milliseconds timeout) const;
  Refusal no_answer(const Sent& sent, Milliseconds timeout) const;

  Poller* poller_;
  std::unique_ptr<Connection> connection_;
  std::vector<std::string> endpoints_;
  std::string who_;
  std::string if_silent_;
  std::int64_t number_ = 0;
  bool knows_leader_ = false;
  bool age_shown_ = false;
};

// The reply with this number among the messages, if it is there.
std::optional<Answer> reply_in(std::vector<Message> messages, std::int64_t number);

// How a person finds out what became of a request that changes something.
std::string how_to_find_out(const Question& question);

// The warning about an answer that is older because PostgreSQL is away; empty: PostgreSQL answers.
std::string age_text(const Reply& reply);

// Connection options for the controller, from the configuration found.
Result<Connection::Options> controller_options(const ClientConfig& config);

// Waits that long, or until the user presses ^C: then the program ends.
void pause_for(Poller& poller, Milliseconds time);

}  // namespace cox
