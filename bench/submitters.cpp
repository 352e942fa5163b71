#include "bench/submitters.h"

#include "bench/measure.h"
#include "common/io/clock.h"

namespace cox::bench {

Submitters::Submitters(const ClientConfig& config, int clients) : poller_(Poller::create()) {
  for (int i = 0; i < clients; ++i) {
    auto connection = Connection::open({config.controller, config.controller_key, {}});
    if (!connection) give_up(connection.refusal().fact);
    (*connection)->add_to(*poller_);
    clients_.push_back({std::move(*connection), 0, 0});
  }
}

void Submitters::send(Client& client, decltype(Request::body) question) {
  client.sent_ns = now_ns();
  client.number = ++numbers_;
  client.connection->send({Request{client.number, std::move(question)}});
}

// The Poller catches SIGTERM and ^C, so this function must end the program when one of them came.
void Submitters::wait(Milliseconds time) {
  poller_->wait(time);
  if (poller_->is_end_requested()) give_up("asked to end");
}

bool Submitters::take(Client& client, decltype(Reply::body)& body) {
  for (auto& message : client.connection->receive()) {
    auto* reply = std::get_if<Reply>(&message);
    if (reply == nullptr || reply->number != client.number) continue;
    if (const auto* refused = std::get_if<Refused>(&reply->body))
      give_up("refused: " + refused->why.fact + "; " + refused->why.hint);
    body = std::move(reply->body);
    return true;
  }
  return false;
}

std::vector<double> Submitters::run(std::int64_t requests,
                                    const std::function<decltype(Request::body)()>& next) {
  std::vector<double> milliseconds;
  std::int64_t sent = 0;
  for (Client& client : clients_)
    if (sent < requests) send(client, (++sent, next()));
  Standstill standstill("the replies to " + std::to_string(requests) + " requests");
  while (static_cast<std::int64_t>(milliseconds.size()) < requests) {
    wait(Milliseconds{1'000});
    standstill.check(static_cast<std::int64_t>(milliseconds.size()));
    for (Client& client : clients_) {
      decltype(Reply::body) body;
      if (!take(client, body)) continue;
      milliseconds.push_back(seconds_since(client.sent_ns) * 1e3);
      if (sent < requests) send(client, (++sent, next()));
    }
  }
  return milliseconds;
}

decltype(Reply::body) Submitters::ask(decltype(Request::body) question) {
  send(clients_.front(), std::move(question));
  decltype(Reply::body) body;
  Standstill standstill("a reply");
  while (!take(clients_.front(), body)) {
    wait(Milliseconds{1'000});
    standstill.check(0);
  }
  return body;
}

void Submitters::wait_until_idle() {
  Standstill standstill("the end of all jobs");
  for (;;) {
    const auto view = std::get<ClusterView>(ask(ShowCluster{}));
    if (view.jobs_pending + view.jobs_live == 0) return;
    standstill.check(-(view.jobs_pending + view.jobs_live));
    wait(Milliseconds{5});
  }
}

void Submitters::wait_until_ended(JobId id) {
  Standstill standstill("the end of a job");
  for (;;) {
    const auto detail = std::get<JobDetail>(ask(ShowJob{id}));
    if (is_final(detail.view.job.state)) return;
    standstill.check(static_cast<std::int64_t>(detail.view.job.state));
    wait(Milliseconds{5});
  }
}

SubmitJob small_job(std::vector<std::string> command) {
  SubmitJob submit;
  submit.request_id = random_hex(16);
  submit.spec.name = "bench";
  submit.spec.command = std::move(command);
  submit.spec.work_dir = "/tmp";
  submit.spec.output = "/dev/null";
  submit.spec.submit_host = "bench";
  submit.environment = std::string("PATH=/usr/bin:/bin\0HOME=/tmp\0LANG=C\0", 37);
  return submit;
}

SubmitJob script_job() {
  SubmitJob submit = small_job({});
  submit.spec.form = JobForm::Batch;
  submit.script = "#!/bin/sh\ntrue\n";
  return submit;
}

SubmitJobs bulk_of(const SubmitJob& one, std::int64_t count) {
  SubmitJobs many;
  many.request_id = random_hex(16);
  many.script = one.script;
  many.environment = one.environment;
  many.specs.assign(static_cast<std::size_t>(count), one.spec);
  return many;
}

}  // namespace cox::bench
