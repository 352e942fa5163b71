// Parses the command line of squeue and the variables SQUEUE_... Pure.
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
    std::string tasks;            // of the array `job`; empty: all
    std::int32_t step = -1;       // a step of `job`; -1: all
    std::int64_t component = -1;  // of `job`; -1: all
    bool operator==(const Id&) const = default;
  };
  static constexpr std::int32_t batch_step = -5;  // N.batch

  std::vector<Id> ids;
  bool steps = false;
  bool array = false;         // -r: one row for each array task
  bool array_unique = false;  // keep separate rows of pending tasks
  bool per_partition = false;
  bool no_header = false;
  bool long_list = false;
  bool start = false;
  bool json = false;
  bool convert_units = true;
  std::int64_t every_s = 0;
  std::int64_t verbose = 0;
  // Filters; an empty list admits all.
  std::vector<std::string> accounts, names, licences, partitions, qos, users, nodes, reservation;
  std::optional<std::vector<JobState>> states;      // nothing: all jobs that have not ended
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
std::vector<OptionForm> squeue_options();

// Returns what --verbose prints first: the options in effect.
std::string asked_text(const SqueueRequest& request);

// The functions from here on are for sinfo and scancel, too. id_words() splits a list of ids at
// commas, except within brackets: "17_[1,3],18" has two ids.
std::vector<std::string> id_words(const std::string& text);
// Splits a list at commas and leaves out empty words.
std::vector<std::string> list_words(const std::string& text);
inline Failure set_list(std::string_view value, std::vector<std::string>& into) {
  into = list_words(std::string(value));
  return std::nullopt;
}
template <auto... steps>
inline constexpr auto words_into = set_by<set_list, steps...>;

// Refuses `asked`, the data parser in --json=PARSER, unless it is v0.0.40.
std::optional<Shown> refuse_other_parsers(std::string_view program, const std::string& asked);
// Refuses `asked`, the names in --clusters or SLURM_CLUSTERS, if one is neither `ours`, the name of
// this cluster, nor "all"; as Slurm does.
std::optional<Shown> refuse_other_clusters(std::string_view program,
                                           const std::vector<std::string>& asked,
                                           const std::string& ours);

}  // namespace cox
