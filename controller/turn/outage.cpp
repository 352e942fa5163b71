#include "controller/turn/outage.h"

#include <algorithm>

#include "common/base/moment_text.h"

namespace cox {
namespace {

constexpr Milliseconds away_patience{2'000};
constexpr std::size_t unrecorded_named_max = 20;  // at most so many changes are named in an answer

struct Changed {
  std::vector<JobId>& jobs;
  std::vector<std::string>& others;

  void operator()(const JobAdded& c) const { jobs.push_back(c.job.id); }
  void operator()(const JobChanged& c) const { jobs.push_back(c.job.id); }
  void operator()(const JobRespecified& c) const { jobs.push_back(c.job.id); }
  void operator()(const AttemptAdded& c) const { jobs.push_back(c.attempt.key.job); }
  void operator()(const AttemptChanged& c) const { jobs.push_back(c.attempt.key.job); }
  void operator()(const CheckpointAdded& c) const { jobs.push_back(c.checkpoint.key.job); }
  void operator()(const CheckpointChanged& c) const { jobs.push_back(c.checkpoint.key.job); }
  void operator()(const StepPut& c) const { jobs.push_back(c.step.key.attempt.job); }
  void operator()(const NodeChanged& c) const { others.push_back("node " + c.node.name); }
  void operator()(const PartitionChanged& c) const {
    others.push_back("partition " + c.partition.name);
  }
  void operator()(const PartitionRemoved& c) const { others.push_back("partition " + c.name); }
  void operator()(const ReservationPut& c) const {
    others.push_back("reservation " + c.reservation.name);
  }
  void operator()(const ReservationRemoved& c) const { others.push_back("reservation " + c.name); }
  void operator()(const EventTriggerPut& c) const {
    others.push_back("trigger " + std::to_string(c.trigger.id.value));
  }
  void operator()(const EventTriggerRemoved& c) const {
    others.push_back("trigger " + std::to_string(c.id.value));
  }
  void operator()(const AssociationPut& c) const {
    others.push_back("account " + c.association.account);
  }
  void operator()(const AssociationRemoved&) const { others.emplace_back("accounts"); }
  void operator()(const QosPut& c) const { others.push_back("QOS " + c.qos.name); }
  void operator()(const QosRemoved& c) const { others.push_back("QOS " + c.name); }
  void operator()(const CrontabPut& c) const {
    others.push_back("the crontab of " + c.crontab.user_name);
  }
  void operator()(const CrontabRemoved&) const { others.emplace_back("crontabs"); }
  // Other changes need not be named: they follow from the named ones, or are not shown.
  void operator()(const auto&) const {}
};

}  // namespace

void Outage::begin(std::string why, Now now) {
  if (!since_) {
    since_ = now.boot;
    at_ = now.wall;
  }
  why_ = std::move(why);
}

bool Outage::end() {
  const bool was_on = is_on();
  since_.reset();
  return was_on;
}

bool Outage::is_long(Boot now) const {
  return since_ && now - *since_ > away_patience;
}

Refusal Outage::refusal(bool is_read_only, Boot now) const {
  const auto seconds = (now - *since_).count() / 1000;
  return {"PostgreSQL has not answered for " + std::to_string(seconds) + " s: " + why_,
          is_read_only ? "running jobs continue and nothing accepted is lost; try again in a moment"
                       : "this request was not and will not be carried out; running jobs continue; "
                         "try again in a moment"};
}

void Outage::mark(Reply& reply) const {
  reply.as_of = at_;
  reply.unrecorded = unrecorded();
  if (auto* view = std::get_if<ClusterView>(&reply.body))
    view->database = "away since " + moment_text(at_) + ": " + why_;
}

void Outage::note_unrecorded(const std::vector<Change>& changes) {
  const Changed changed{unrecorded_jobs_, unrecorded_others_};
  for (const Change& change : changes) std::visit(changed, change);
}

void Outage::forget_unrecorded() {
  unrecorded_jobs_.clear();
  unrecorded_others_.clear();
}

std::vector<std::string> Outage::unrecorded() const {
  std::vector<JobId> jobs = unrecorded_jobs_;
  std::ranges::sort(jobs);
  std::vector<std::string> all;
  for (const JobId id : jobs) all.push_back("job " + std::to_string(id.value));
  all.insert(all.end(), unrecorded_others_.begin(), unrecorded_others_.end());
  std::ranges::sort(all.begin() + std::ssize(jobs), all.end());
  const auto repeated = std::ranges::unique(all);
  all.erase(repeated.begin(), repeated.end());
  if (all.size() <= unrecorded_named_max) return all;
  const std::size_t more = all.size() - unrecorded_named_max;
  all.resize(unrecorded_named_max);
  all.push_back(std::to_string(more) + " more");
  return all;
}

}  // namespace cox
