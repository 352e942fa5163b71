// The rows that sacct shows of each job: the job, N.batch, N.extern, N.0 and on; with what they
// were granted and took. Its columns, its JSON and seff are made of them. Pure.
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
  const Step* step = nullptr;  // of Kind::Step
  std::string id;              // "17_4.batch"
  std::string raw_id;          // "23.batch"
  std::string name;
  std::string state;       // "CANCELLED by 1000"
  std::string state_word;  // the same without who it was
  Wall start{};
  Wall end{};                // Wall{}: not yet
  bool never_began = false;  // and will not
  std::int64_t elapsed_s = 0;
  std::int64_t suspended_s = 0;
  std::int32_t exit_code = 0;
  std::int32_t exit_signal = 0;
  std::int64_t tasks = -1;  // -1: of a job
  std::int64_t cpus = 0;
  std::int64_t nodes = 0;
  std::int64_t memory_mb = 0;
  std::int64_t gpu_milli = 0;
  std::string nodelist;
  bool took = false;  // it is known what it took
  StepUsage usage;
  TaskFigures figures;  // of Kind::Step

  bool is_job() const { return kind == Kind::Job; }
  const JobSpec& spec() const { return *record->job.spec; }
};

// Those that the options mean. The page must outlive them.
std::vector<RecordRow> record_rows(const AccountingPage& page, const RecordOptions& options);

// What sacct -X leaves out counts for the job all the same.
struct RecordsOfJob {
  RecordRow job;
  std::vector<RecordRow> parts;  // batch, extern, steps
};
RecordsOfJob records_of(const JobRecord& record, Wall now, const RecordOptions& options);

std::int64_t time_limit_s(const JobRecord& record);  // 0: none

}  // namespace cox
