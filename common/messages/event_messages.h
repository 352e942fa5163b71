// What is asked of the events of jobs: the history of one, and what happens to all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/job/job_event.h"

namespace cox {

struct ShowHistory {
  static constexpr int tag = 54;
  JobId id;
  std::int64_t after_sequence = 0;
  std::int64_t task = -1;  // as in ShowJob
  std::string tasks{};     // likewise
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.id, self.after_sequence, self.task, self.tasks);
  }
};

struct HistoryPage {
  static constexpr int tag = 84;
  std::vector<JobEvent> events;  // oldest first; of an array row by row
  bool more = false;
  std::vector<std::string> job_names{};  // of an array: whose each of them is, "17_4"; else none
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.events, self.more, self.job_names);
  }
};

// Answered as soon as an event is there behind the one named, else after wait_ms. The events of one
// leadership are numbered from 1 on, in the order in which they became true.
struct FollowEvents {
  static constexpr int tag = 123;
  static constexpr int since_version = 2;
  Term term;               // whose numbers they are; 0: the asker knows none yet
  std::int64_t after = 0;  // the page begins behind this number; -1: behind all that are there
  std::int64_t wait_ms = 0;
  std::vector<JobId> ids;  // of these jobs, or of all tasks of these arrays; empty: of all
  std::string user_name;   // of whose jobs; empty: of all
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.term, self.after, self.wait_ms, self.ids, self.user_name);
  }
};

struct EventPage {
  static constexpr int tag = 124;
  static constexpr int since_version = 2;
  Term term;
  std::int64_t last = 0;               // ask again behind this one
  std::vector<JobEvent> events;        // oldest first
  std::vector<std::string> job_names;  // whose each of them is: "17_4"
  bool missed = false;  // there were others between, which the controller keeps no longer
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.term, self.last, self.events, self.job_names, self.missed);
  }
};

}  // namespace cox
