// Parses a user's crontab: builds a job for each line with a time and a command. The syntax is that
// of scrontab in Slurm 24.11. Pure; client/io/scrontab reads the text and sends the jobs. An
// example:
//
//   # a comment
//   NAME=value              for $NAME in the commands below it
//   #SCRON --time=10        options of sbatch, for the next line with a command
//   0 5 * * * $NAME/prog    when (common/syntax/cron_schedule.h), and a command for /bin/sh
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "client/submit/submit.h"
#include "common/base/result.h"
#include "common/messages/crontab_messages.h"

namespace cox {

struct CrontabPlan {
  std::vector<CronLineAsked> lines;
  std::vector<std::string> warnings;  // each begins with the number of a line
};

// The first error in the crontab, and the first and last line that it is about.
struct BadCronLines {
  Refusal why;
  std::int32_t first = 0;  // from 1
  std::int32_t last = 0;
};

// Parses the text. `around` describes the process that sends the crontab. The jobs get only the
// environment of a login, and run in the user's home directory unless they set --chdir.
std::variant<CrontabPlan, BadCronLines> read_crontab(const std::string& text,
                                                     const SubmitSurroundings& around);

}  // namespace cox
