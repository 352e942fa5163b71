// The requests of scrontab and the replies. client_messages.h has all other messages of clients.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/fields.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/job/job.h"

namespace cox {

struct ShowCrontab {
  static constexpr int tag = 135;
  static constexpr int since_version = 2;
  std::string user_name;  // whose crontab; empty: that of the caller
  COX_FIELDS(user_name);
};

// One job of a crontab: a line with a schedule and a command, and the #SCRON lines before it.
struct CronLineAsked {
  std::int32_t first_line = 0;  // number of its first line in the text, counted from 1
  std::int32_t last_line = 0;
  std::string schedule;  // five fields (cron_schedule.h)
  JobSpec spec;
  std::string script;
  std::string environment;
  COX_FIELDS(first_line, last_line, schedule, spec, script, environment);
};

// Replaces the whole crontab of a user, or changes nothing if a line is refused. Pending jobs of
// the old crontab are cancelled; its running jobs continue, but no jobs follow them.
struct UpdateCrontab {
  static constexpr int tag = 136;
  static constexpr int since_version = 2;
  std::string request_id;  // random; a retry of the request has the same one
  std::string user_name;   // whose crontab; empty: that of the caller
  std::string text;
  std::vector<CronLineAsked> lines;  // in text order
  bool remove = false;               // removes the crontab; the text is ignored
  COX_FIELDS(request_id, user_name, text, lines, remove);
};

struct CrontabShown {
  static constexpr int tag = 137;
  static constexpr int since_version = 2;
  bool exists = false;
  std::string text;
  COX_FIELDS(exists, text);
};

struct CrontabUpdated {
  static constexpr int tag = 138;
  static constexpr int since_version = 2;
  std::vector<JobId> jobs;  // the job of each line, in their order
  std::string note;         // message of submit_program to the user
  // Why a line was refused, in which case nothing was changed. The line numbers follow.
  std::optional<Refusal> refused;
  std::int32_t first_refused = 0;
  std::int32_t last_refused = 0;
  COX_FIELDS(jobs, note, refused, first_refused, last_refused);
};

}  // namespace cox
