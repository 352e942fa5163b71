#include "controller/turn/open_requests.h"

#include <algorithm>
#include <string_view>

#include "common/base/limits.h"
#include "common/messages/standing_by.h"

namespace cox {
namespace {

// How long a refusal is remembered: far longer than clients repeat a request, and than a disturbed
// network can delay one.
constexpr Milliseconds refusal_kept{600'000};
constexpr std::size_t refusals_kept_max = 10'000;
// At most so many connections get the answer to one request.
constexpr std::size_t senders_max = 16;

std::string_view request_id_of(const Request& request) {
  if (const auto* one = std::get_if<SubmitJob>(&request.body)) return one->request_id;
  if (const auto* many = std::get_if<SubmitJobs>(&request.body)) return many->request_id;
  if (const auto* crontab = std::get_if<UpdateCrontab>(&request.body)) return crontab->request_id;
  return "";
}

std::string identity_of(const PeerMessage& incoming, const Request& request) {
  const std::string_view id = request_id_of(request);
  // The kind of request is part of the identity, because srun numbers the requests about its
  // allocation and about its step separately.
  if (id.empty())
    return "peer " + incoming.peer + " kind " + std::to_string(request.body.index()) + " number " +
           std::to_string(request.number);
  return "uid " + std::to_string(incoming.caller.uid) + " kind " +
         std::to_string(request.body.index()) + " id " + std::string(id);
}

// Returns a key that all copies of a request from one sender have.
std::string copies_of(const std::string& identity, const PeerName& peer, std::int64_t number) {
  return identity + " from " + peer + " number " + std::to_string(number);
}

}  // namespace

// Admission refuses a longer id each time, so that refusal need not be recorded.
bool OpenRequests::records(const Request& request) {
  const bool may_run_program = std::holds_alternative<TestJob>(request.body);
  return (!is_read_only(request) || may_run_program) &&
         !std::holds_alternative<CreateStep>(request.body) &&
         request_id_of(request).size() <= limits::word_bytes_max;
}

bool OpenRequests::joins(const PeerMessage& incoming, const Request& request) {
  const auto found = open_.find(identity_of(incoming, request));
  if (found == open_.end()) return false;
  std::vector<Address>& senders = found->second;
  const Address sender{incoming.peer, request.number};
  if (senders.size() < senders_max && senders_.try_emplace(sender, found->first).second)
    senders.push_back(sender);
  return true;
}

const Refused* OpenRequests::refusal_of(const PeerMessage& incoming, const Request& request,
                                        Boot now) {
  forget_old(now);
  const auto found =
      refused_.find(copies_of(identity_of(incoming, request), incoming.peer, request.number));
  return found == refused_.end() ? nullptr : &found->second;
}

void OpenRequests::open(const PeerMessage& incoming, const Request& request) {
  const std::string identity = identity_of(incoming, request);
  const Address sender{incoming.peer, request.number};
  // Our clients use each number once. If a client uses a number twice, its second request is not
  // recorded.
  if (senders_.try_emplace(sender, identity).second) open_[identity].push_back(sender);
}

std::vector<Outgoing> OpenRequests::close(const PeerName& peer, const Reply& reply, Boot now) {
  std::vector<Outgoing> copies;
  const Address first{peer, reply.number};
  const auto sender = senders_.find(first);
  if (sender == senders_.end()) return copies;
  const auto found = open_.find(sender->second);
  const auto* refused = std::get_if<Refused>(&reply.body);
  for (const Address& each : found->second) {
    senders_.erase(each);
    if (refused != nullptr)
      remember(copies_of(found->first, each.first, each.second), *refused, now);
    if (each == first) continue;
    Reply copy = reply;
    copy.number = each.second;
    copies.push_back({each.first, std::move(copy)});
  }
  open_.erase(found);
  return copies;
}

void OpenRequests::remember(std::string copy, const Refused& refused, Boot now) {
  forget_old(now);
  if (refused_.insert_or_assign(copy, refused).second)
    refused_at_.emplace_back(now, std::move(copy));
}

void OpenRequests::forget_old(Boot now) {
  while (!refused_at_.empty() && (now - refused_at_.front().first > refusal_kept ||
                                  refused_at_.size() >= refusals_kept_max)) {
    refused_.erase(refused_at_.front().second);
    refused_at_.pop_front();
  }
}

}  // namespace cox
