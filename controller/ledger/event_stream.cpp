#include "controller/ledger/event_stream.h"

#include <algorithm>
#include <utility>

#include "common/base/limits.h"
#include "common/job/job_ref.h"
#include "controller/state/cluster.h"

namespace cox {
namespace {

bool is_wanted(const StreamedEvent& one, const FollowEvents& ask) {
  const auto names_it = [&](JobId id) { return id == one.event.job || id == one.array; };
  return (ask.ids.empty() || std::ranges::any_of(ask.ids, names_it)) &&
         (ask.user_name.empty() || ask.user_name == one.user_name);
}

}  // namespace

std::vector<StreamedEvent> events_of(const std::vector<Change>& changes, const Cluster& cluster) {
  std::vector<StreamedEvent> events;
  for (const Change& change : changes) {
    const auto* added = std::get_if<EventAdded>(&change);
    if (added == nullptr) continue;
    StreamedEvent one{added->event, added->event.job, std::to_string(added->event.job.value), ""};
    if (const JobEntry* entry = cluster.job(one.event.job)) {
      if (is_of_array(entry->job)) one.array = entry->job.array_job;
      one.job_name = command_id(entry->job);
      one.user_name = entry->job.spec->user_name;
    }
    events.push_back(std::move(one));
  }
  return events;
}

void EventStream::add(std::vector<StreamedEvent> events) {
  last_ += std::ssize(events);
  for (StreamedEvent& one : events) newest_.push_back(std::move(one));
  while (newest_.size() > kept_max) newest_.pop_front();
}

// If `ask.after` is the number of an event of another leadership, or above the newest number, the
// page begins with the oldest event, and `missed` is set: the follower may have missed events.
EventPage EventStream::page(const FollowEvents& ask, Term term) const {
  EventPage page;
  page.term = term;
  page.last = last_;
  if (ask.after < 0) return page;
  const std::int64_t before = last_ - std::ssize(newest_);
  const bool is_known = ask.term == term && ask.after <= last_;
  page.missed = ask.term != Term{} && (!is_known || ask.after < before);
  const std::int64_t from = is_known ? std::max(ask.after, before) : before;
  for (std::int64_t number = from + 1; number <= last_; ++number) {
    const StreamedEvent& one = newest_[static_cast<std::size_t>(number - before - 1)];
    if (!is_wanted(one, ask)) continue;
    if (page.events.size() == limits::page_rows_max) {
      page.last = number - 1;
      return page;
    }
    page.events.push_back(one.event);
    page.job_names.push_back(one.job_name);
  }
  return page;
}

}  // namespace cox
