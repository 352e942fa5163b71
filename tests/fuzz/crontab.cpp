// Fuzz target for crontabs. Checks that a valid schedule is formatted unchanged and has a later
// next time on a whole minute, that each job's lines are lines of the text, and that a refusal
// names lines of the text.
#include "common/syntax/crontab.h"

#include "client/slurm/crontab_text.h"
#include "common/base/limits.h"
#include "common/syntax/cron_schedule.h"
#include "tests/fuzz/target.h"

namespace cox {
namespace {

// Time zone of New York in 2026: 5 hours behind UTC, and 4 hours from March to November.
const TimeZone zone{-18'000, {{1'772'953'200, -14'400}, {1'793'512'800, -18'000}}};

void check_schedule(const std::string& fields) {
  const auto schedule = parse_cron_schedule(fields);
  CHECK(schedule.ok());
  CHECK(format_cron_schedule(*schedule) == fields);
  Wall after = wall_from_ms(1'772'950'000'123);
  for (int i = 0; i < 3; ++i) {
    const auto next = next_cron_time(*schedule, zone, after);
    CHECK(next && *next > after && to_ms(*next) % 60'000 == 0);
    after = *next;
  }
}

}  // namespace

FUZZ_TARGET(crontab) {
  SubmitSurroundings around;
  around.work_dir = "/here";
  around.login = {"HOME=/home/u"};
  const std::string text(input);
  const auto read = read_crontab(text, around);
  const std::int32_t lines = line_count(text);
  if (const auto* bad = std::get_if<BadCronLines>(&read)) {
    fuzz::check_refusal(bad->why);
    CHECK(bad->first >= 0 && bad->first <= bad->last && bad->last <= lines);
    const std::string marked = with_marked_lines(text, bad->first, bad->last, bad_mark);
    CHECK(line_count(marked) == lines);
    return;
  }
  CHECK(text.size() <= limits::crontab_bytes_max);
  std::int32_t before = 0;
  for (const CronLineAsked& line : std::get<CrontabPlan>(read).lines) {
    CHECK(before < line.first_line && line.first_line <= line.last_line && line.last_line <= lines);
    before = line.last_line;
    CHECK(line.script.starts_with("#!/bin/sh\n"));
    CHECK(line.spec.begin == Wall{} && line.spec.array.empty() && !line.spec.hold);
    check_schedule(line.schedule);
  }
}

}  // namespace cox
