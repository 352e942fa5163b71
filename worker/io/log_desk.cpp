#include "worker/io/log_desk.h"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "common/base/limits.h"
#include "common/job/job_row.h"
#include "common/job/supervisor_folder.h"
#include "common/messages/codec.h"
#include "worker/supervisor/io/files/files.h"

namespace cox {
namespace {

constexpr std::size_t outputs_max = 256;
constexpr std::size_t waiting_max = 1'000;  // log requests that may wait for the controller's reply
// How long a log request waits for the controller before it is refused.
constexpr Milliseconds patience{5'000};
constexpr Milliseconds retry_pause{1'000};
// How long the connection stays open after its last request.
constexpr Milliseconds connection_kept{60'000};

Refused no_output_here(const ReadLog& ask, const std::string& node) {
  const std::string job = std::to_string(ask.key.job.value);
  return {{"rank " + std::to_string(ask.rank) + " of job " + job + ", attempt " +
               std::to_string(ask.key.attempt.value) + ", has no output on node " + node,
           "use 'cox logs " + job + "', which finds the node"}};
}

}  // namespace

LogDesk::LogDesk(const WorkerConfig& config, Connection::Options controller,
                 const Processes& processes)
    : node_(config.node_name),
      controller_(std::move(controller)),
      processes_(processes),
      readers_(config.supervisor_program) {}

void LogDesk::add_to(Poller& poller) {
  poller_ = &poller;
  poller.add_fd(readers_.fd(), POLLIN);
}

void LogDesk::ask(const PeerId& peer, std::int64_t number, const ReadLog& ask, Boot now) {
  if (!outputs_.contains(ask.key)) look_up(ask.key);
  if (outputs_.contains(ask.key)) return read(peer, number, ask, now);
  if (waiting_.size() >= waiting_max)
    return refuse(peer, number,
                  {{"the worker has " + std::to_string(waiting_max) +
                        " log requests that wait for the controller, the limit",
                    "try again in a moment"},
                   true});
  waiting_.push_back({peer, number, ask, now});
}

// Reads the attempt's launch file. It is there until the controller acknowledges the attempt's end.
void LogDesk::look_up(AttemptKey key) {
  const std::string file = processes_.folder_of(key) + "/" + supervisor_folder::launch_file;
  const auto bytes = read_file(file, limits::frame_bytes_max);
  if (!bytes) return;
  const auto launch = decode_launch(*bytes);
  if (!launch || launch->key != key) return;
  if (launch->node_index < 0 || std::cmp_greater_equal(launch->node_index, launch->nodes.size()))
    return;
  remember(key, output_of(*launch));
}

void LogDesk::remember(AttemptKey key, AttemptOutput output) {
  // Drops the attempt with the lowest job id.
  if (outputs_.size() >= outputs_max) outputs_.erase(outputs_.begin());
  outputs_.insert_or_assign(key, std::move(output));
}

void LogDesk::read(const PeerId& peer, std::int64_t number, ReadLog ask, Boot now) {
  const AttemptOutput& output = outputs_.at(ask.key);
  auto path = output_path(output, ask.rank, ask.error_stream);
  if (!path) return refuse(peer, number, no_output_here(ask, node_));
  ask.path = std::move(*path);
  const std::int64_t ticket = next_ticket_++;
  reading_[ticket] = {peer, number};
  readers_.read(ticket, output.spec.uid, output.spec.gid, ask, now);
}

void LogDesk::refuse(const PeerId& peer, std::int64_t number, Refused why) {
  answers_.push_back({peer, Reply{number, std::move(why)}});
}

std::vector<LogDesk::Answer> LogDesk::work(Boot now) {
  receive_from_controller(now);
  refuse_overdue(now);
  request_job(now);
  for (auto& [ticket, reply] : readers_.poll(now)) {
    const auto asked = reading_.extract(ticket);
    if (asked.empty()) continue;
    reply.number = asked.mapped().second;
    answers_.push_back({asked.mapped().first, std::move(reply)});
  }
  return std::exchange(answers_, {});
}

// Asks the controller for the job that the oldest waiting log request names. Repeats this until the
// controller answers.
void LogDesk::request_job(Boot now) {
  if (waiting_.empty()) {
    requested_job_.reset();
    if (connection_ && now - requested_at_ >= connection_kept) connection_.reset();
    return;
  }
  if (requested_job_ && now - requested_at_ < retry_pause) return;
  if (!connection_) {
    auto connection = Connection::open(controller_);
    if (!connection) return;
    connection_ = std::move(*connection);
    if (poller_ != nullptr) connection_->add_to(*poller_);
  }
  if (requested_job_ != waiting_.front().ask.key.job) ++request_number_;
  requested_job_ = waiting_.front().ask.key.job;
  requested_at_ = now;
  connection_->send({Request{request_number_, ShowJob{*requested_job_, row_itself}}});
}

void LogDesk::receive_from_controller(Boot now) {
  if (!connection_) return;
  for (const Message& message : connection_->receive()) {
    const auto* reply = std::get_if<Reply>(&message);
    if (reply != nullptr && requested_job_ && reply->number == request_number_)
      take_job(*reply, now);
  }
}

void LogDesk::take_job(const Reply& reply, Boot now) {
  const auto* refused = std::get_if<Refused>(&reply.body);
  if (refused != nullptr && refused->retry) return;  // request_job() repeats it
  const auto* detail = std::get_if<JobDetail>(&reply.body);
  const JobId job = *requested_job_;
  requested_job_.reset();
  auto theirs = std::ranges::stable_partition(
      waiting_, [&](const Waiting& one) { return one.ask.key.job != job; });
  std::vector<Waiting> settled(std::move_iterator(theirs.begin()),
                               std::move_iterator(theirs.end()));
  waiting_.erase(theirs.begin(), theirs.end());
  for (const Waiting& one : settled) {
    const bool is_that_job = detail != nullptr && detail->view.job.id == job;
    auto output = is_that_job ? output_of(*detail, one.ask.key.attempt, node_) : std::nullopt;
    if (!output) {
      refuse(one.peer, one.number, refused != nullptr ? *refused : no_output_here(one.ask, node_));
      continue;
    }
    remember(one.ask.key, std::move(*output));
    read(one.peer, one.number, one.ask, now);
  }
}

void LogDesk::refuse_overdue(Boot now) {
  std::erase_if(waiting_, [&](const Waiting& one) {
    if (now - one.since < patience) return false;
    refuse(one.peer, one.number,
           {{"the controller has not replied within " + std::to_string(patience.count() / 1000) +
                 " s about the output files of job " + std::to_string(one.ask.key.job.value),
             "try again in a moment"},
            true});
    return true;
  });
}

}  // namespace cox
