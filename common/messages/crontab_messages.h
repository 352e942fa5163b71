// The requests of scrontab and their replies. client_messages.h has the other messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/job/job.h"

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

// A line of the text that asks for jobs, together with its #SCRON lines.
struct CronLineAsked {
  std::int32_t first_line = 0;  // line number in the text, from 1
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

// Replaces the user's whole crontab, or changes nothing. Queued jobs of the old crontab are
// cancelled; its running jobs continue, and are not repeated.
struct UpdateCrontab {
  static constexpr int tag = 136;
  static constexpr int since_version = 2;
  std::string request_id;  // random; a retry carries the same one
  std::string user_name;   // empty: the caller's own
  std::string text;
  std::vector<CronLineAsked> lines;  // in text order
  bool remove = false;               // removes the crontab instead
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
  std::vector<JobId> jobs;  // one for each line, in order
  std::string note;         // of submit_program, for the user
  // Set if a line was refused; then nothing was changed.
  std::optional<Refusal> refused;
  std::int32_t first_refused = 0;
  std::int32_t last_refused = 0;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.jobs, self.note, self.refused, self.first_refused, self.last_refused);
  }
};

}  // namespace cox
