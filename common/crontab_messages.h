// What scrontab asks and is answered; client_messages.h has the rest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/ids.h"
#include "common/job.h"
#include "common/result.h"

namespace cox {

struct ShowCrontab {
  static constexpr int tag = 135;
  static constexpr int since_version = 2;
  std::string user_name;  // empty: the caller's own
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.user_name);
  }
};

// A line of the text that asks for jobs, with the #SCRON lines before it.
struct CronLineAsked {
  std::int32_t first_line = 0;  // of the text, from 1
  std::int32_t last_line = 0;
  std::string schedule;  // five fields (cron_schedule.h)
  JobSpec spec;
  std::string script;
  std::string environment;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.first_line, self.last_line, self.schedule, self.spec, self.script, self.environment);
  }
};

// Replaces the user's crontab, all of it or nothing. Jobs of the one before that wait are
// cancelled, and those that run do not come again.
struct UpdateCrontab {
  static constexpr int tag = 136;
  static constexpr int since_version = 2;
  std::string request_id;  // random; a retry carries the same one
  std::string user_name;   // empty: the caller's own
  std::string text;
  std::vector<CronLineAsked> lines;  // in the order of the text
  bool remove = false;               // instead: there is none from now on
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.request_id, self.user_name, self.text, self.lines, self.remove);
  }
};

struct CrontabShown {
  static constexpr int tag = 137;
  static constexpr int since_version = 2;
  bool exists = false;
  std::string text;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.exists, self.text);
  }
};

struct CrontabUpdated {
  static constexpr int tag = 138;
  static constexpr int since_version = 2;
  std::vector<JobId> jobs;  // one a line, in their order
  std::string note;         // of the site's submit_program, for the user
  // A line is refused, and nothing was changed.
  std::optional<Refusal> refused;
  std::int32_t first_refused = 0;
  std::int32_t last_refused = 0;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.jobs, self.note, self.refused, self.first_refused, self.last_refused);
  }
};

}  // namespace cox
