// Makes job records for the tests of sacct, seff and sstat, and parses and answers the command
// lines of these commands as client/io does.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <vector>

#include "client/command_line.h"
#include "client/slurm/names.h"
#include "client/slurm/records/record_options.h"

namespace cox::test {

inline constexpr std::int64_t noon_s = 1'795'348'800;  // 2026-11-22T12:00:00 UTC, a Sunday
inline Wall at_s(std::int64_t seconds) {
  return wall_from_ms((noon_s + seconds) * 1000);
}

inline const Command& slurm_command(std::string_view name) {
  for (const Command& command : slurm_commands())
    if (command.name == name) return command;
  ADD_FAILURE() << "no command " << name;
  return slurm_commands().front();
}

// Parses the words as options of the program `name`, at 13:00 UTC on the day of noon_s, for the
// user ann (uid 1000).
template <class Asked = SacctOptions>
Asked slurm_options(std::string_view name, const std::vector<std::string>& words) {
  Parsed parsed = parse_options(slurm_command(name), words);
  if (const auto* why = std::get_if<Refusal>(&parsed)) ADD_FAILURE() << why->fact;
  auto* found = std::get_if<std::unique_ptr<Options>>(&parsed);
  if (found == nullptr) return {};
  auto& options = dynamic_cast<Asked&>(**found);
  if constexpr (!std::is_same_v<Asked, SstatOptions>) options.group_names = {{100, "users"}};
  if constexpr (std::is_same_v<Asked, SacctOptions>) {
    options.here = {at_s(3600), {}};
    options.own_user = "ann";
    options.uids = {{"user ann", 1000}};
    if (const Failure failure = resolve_records(options)) ADD_FAILURE() << failure->fact;
  }
  return options;
}

inline std::string slurm_refusal(std::string_view name, const std::vector<std::string>& words) {
  Parsed parsed = parse_options(slurm_command(name), words);
  if (const auto* why = std::get_if<Refusal>(&parsed)) return why->fact;
  auto* options = dynamic_cast<SacctOptions*>(std::get<std::unique_ptr<Options>>(parsed).get());
  if (options == nullptr) return "";
  options->here = {at_s(3600), {}};
  const Failure failure = resolve_records(*options);
  return failure ? failure->fact : "";
}

inline JobRecord a_record(std::int64_t id, JobState state) {
  JobRecord record;
  Job& job = record.job;
  JobSpec& spec = job.spec.change();
  spec.name = "train";
  spec.form = JobForm::Batch;
  spec.user_name = "ann";
  spec.uid = 1000;
  spec.gid = 100;
  spec.account = "physics";
  spec.partition = "main";
  spec.qos = "standard";
  spec.work_dir = "/home/ann";
  spec.nodes = 2;
  spec.tasks = 4;
  spec.memory_mb_per_node = 2048;
  spec.time_limit_s = 3600;
  job.id = JobId{id};
  job.state = state;
  job.submitted = job.eligible = at_s(0);
  return record;
}

// Returns the record of a job that began 60 s after its submission and ran for 600 s.
inline JobRecord a_run_record(std::int64_t id, JobState state) {
  JobRecord record = a_record(id, state);
  RunRecord& run = record.run;
  run.number = record.job.attempt = AttemptNumber{1};
  run.partition = "main";
  run.began = run.went = record.job.started = at_s(60);
  run.nodelist = "n[1-2]";
  run.nodes = 2;
  run.cpus = 4;
  run.memory_mb = 4096;
  run.first_node = "n1";
  run.first_cpus = 2;
  run.first_memory_mb = 2048;
  if (!is_final(state)) return record;
  run.ended = record.job.ended = at_s(660);
  run.rank_ended = at_s(659);
  run.usage = {1'500, 250, 1236};
  return record;
}

inline Step a_step(std::int64_t job, std::int32_t number, JobState state) {
  Step step;
  step.key = {{JobId{job}, AttemptNumber{1}}, number};
  step.spec.name = "mpi";
  step.state = state;
  step.nodes = {{"n1", 2, 2, 2048, {}, StepPhase::Gone}, {"n2", 2, 2, 2048, {}, StepPhase::Gone}};
  step.tasks = 4;
  step.started = at_s(120);
  if (is_final(state)) step.ended = at_s(420);
  step.usage = {60'000, 4'000, 65'536};
  return step;
}

inline AccountingPage a_page(std::vector<JobRecord> records) {
  AccountingPage page;
  page.records = std::move(records);
  page.cluster = "ocean";
  page.now = at_s(3600);
  return page;
}

inline Shown shown_by(std::string_view name, const AccountingPage& page, const Options& options) {
  return slurm_command(name).show(page, options, Screen{});
}

inline std::string sacct(const AccountingPage& page, const std::vector<std::string>& words) {
  return shown_by("sacct", page, slurm_options("sacct", words)).out;
}

}  // namespace cox::test
