// What a command line of squeue asks for, and SQUEUE_... beside it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "client/listing.h"
#include "client/slurm/text/option_words.h"
#include "common/base/ids.h"
#include "common/job/job_state.h"

namespace cox {

struct SqueueRequest {
  struct Id {
    JobId job;
    std::string tasks;       // of the array; empty: all
    std::int32_t step = -1;  // with --steps; -1: all
    bool operator==(const Id&) const = default;
  };
  static constexpr std::int32_t batch_step = -5;  // N.batch

  std::vector<Id> ids;
  bool steps = false;
  bool array = false;         // one line for each task
  bool array_unique = false;  // tasks that wait alone are not put to the others
  bool per_partition = false;
  bool no_header = false;
  bool long_list = false;
  bool start = false;
  bool json = false;
  bool convert_units = true;
  std::int64_t every_s = 0;
  std::int64_t verbose = 0;
  // Each of these empty: any.
  std::vector<std::string> accounts, names, licences, partitions, qos, users, nodes, reservation;
  std::optional<std::vector<JobState>> states;      // nothing: those that have not ended
  std::optional<std::string> format, format_names;  // -o and -O
  std::string sort;
  std::vector<std::string> clusters;
  std::string time_style;
  std::string config;
  std::int64_t tasks_bytes = 64;
  std::string notes;  // for standard error
};

std::variant<SqueueRequest, Shown> read_squeue_request(const std::vector<std::string>& words,
                                                       const Surroundings& around);
std::span<const WordOption> squeue_options();

// What --verbose begins with.
std::string asked_text(const SqueueRequest& request);

// Shared with sinfo and scancel. Words between commas, but for those inside brackets: 17_[1,3].
std::vector<std::string> id_words(const std::string& text);
// Words of "a,b"; those that are empty are left out.
std::vector<std::string> list_words(const std::string& text);
// Of --json: a data parser that is not the one there is.
std::optional<Shown> refuse_other_parsers(std::string_view program, const std::string& asked);
// Of --clusters and SLURM_CLUSTERS: ours, or `all`; else what Slurm says.
std::optional<Shown> refuse_other_clusters(std::string_view program,
                                           const std::vector<std::string>& asked,
                                           const std::string& ours);

}  // namespace cox
