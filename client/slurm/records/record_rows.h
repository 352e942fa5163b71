// The rows that sacct shows for each job: the job, JOB.batch, JOB.extern, JOB.0 and so on, with the
// resources that each held and used. sacct's columns, its JSON and seff use these rows. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/slurm/records/record_options.h"
#include "common/messages/messages.h"

namespace cox {

struct RecordRow {
  enum class Kind : std::uint8_t { Job, Batch, Extern, Step } kind = Kind::Job;
  const JobRecord* record = nullptr;
  const Step* step = nullptr;  // for Kind::Step
  std::string id;              // "17_4.batch"
  std::string raw_id;          // "23.batch"
  std::string name;
  std::string state;       // "CANCELLED by 1000"
  std::string state_word;  // "CANCELLED": `state` without the uid
  Wall start{};
  Wall end{};                // Wall{}: not yet
  bool never_began = false;  // and has ended
  std::int64_t elapsed_s = 0;
  std::int64_t suspended_s = 0;
  std::int32_t exit_code = 0;
  std::int32_t exit_signal = 0;
  std::int64_t tasks = -1;  // -1: not counted, in the row of a job
  std::int64_t cpus = 0;
  std::int64_t nodes = 0;
  std::int64_t memory_mb = 0;
  std::int64_t gpu_milli = 0;
  std::string nodelist;
  bool took = false;  // whether `usage` was measured
  StepUsage usage;
  TaskFigures figures;  // for Kind::Step

  bool is_job() const { return kind == Kind::Job; }
  const JobSpec& spec() const { return *record->job.spec; }
};

// Returns the rows of the jobs in the page that the options select. The rows point into the page,
// which must outlive them.
std::vector<RecordRow> record_rows(const AccountingPage& page, const SacctOptions& options);

// The row of a job, and those of its batch script and steps (`parts`). The usage in `job` includes
// that of the parts.
struct RecordsOfJob {
  RecordRow job;
  std::vector<RecordRow> parts;  // batch, extern, steps
};
RecordsOfJob records_of(const JobRecord& record, Wall now, const SacctOptions& options);

// Returns the state that sacct shows. As in Slurm, a job in CONFIGURING, SIGNALING or COMPLETING is
// shown as RUNNING.
std::string_view shown_state(JobState state);

std::int64_t time_limit_s(const JobRecord& record);  // 0: none

}  // namespace cox
