// A crontab as its user writes it: which of its lines ask for jobs, and what jobs they are. Reads
// what scrontab of Slurm 24.11 reads. Pure; client/io/scrontab reads the text and sends the jobs.
//
//   # a comment
//   NAME=value              for $NAME in the commands below it
//   #SCRON --time=10        options of sbatch, for the next line with a command
//   0 5 * * * $NAME/prog    when (common/cron_schedule.h), and a command for /bin/sh
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "client/submit.h"
#include "common/crontab_messages.h"
#include "common/result.h"

namespace cox {

struct CrontabPlan {
  std::vector<CronLineAsked> lines;
  std::vector<std::string> warnings;  // each names its line
};

// The first thing that is wrong, and the lines that it is about.
struct BadCronLines {
  Refusal why;
  std::int32_t first = 0;  // from 1
  std::int32_t last = 0;
};

// `around`: of the process that sends the crontab. Its jobs get nothing of its environment but what
// a login has, and run in the user's home if they do not say where.
std::variant<CrontabPlan, BadCronLines> read_crontab(const std::string& text,
                                                     const SubmitSurroundings& around);

}  // namespace cox
