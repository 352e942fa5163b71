#include "worker/attempt_output.h"

namespace cox {
namespace {

AttemptOutput output_on(const JobSpec& spec, const OutputPlace& job, const NodeGrant& grant,
                        std::size_t node_index) {
  AttemptOutput output{spec, job, grant.ranks};
  output.place.node = grant.node;
  output.place.node_index = static_cast<std::int32_t>(node_index);
  output.place.rank = grant.first_rank;
  // A batch script runs as rank 0 on the first node, however many tasks that node was granted.
  if (spec.form != JobForm::Gang) {
    output.place.rank = 0;
    output.ranks = node_index == 0 ? 1 : 0;
  }
  return output;
}

}  // namespace

AttemptOutput output_of(const LaunchSpec& launch) {
  OutputPlace job;
  job.key = launch.key;
  job.array_job = launch.array_job;
  job.array_task = launch.array_task;
  const auto index = static_cast<std::size_t>(launch.node_index);
  return output_on(launch.spec, job, launch.nodes.at(index).grant, index);
}

std::optional<AttemptOutput> output_of(const JobDetail& job, AttemptNumber attempt,
                                       const std::string& node) {
  OutputPlace place;
  place.array_job = job.view.job.array_job;
  place.array_task = job.view.job.array_task;
  for (const Attempt& one : job.attempts) {
    if (one.key.attempt != attempt) continue;
    place.key = one.key;
    for (std::size_t index = 0; index < one.nodes.size(); ++index)
      if (one.nodes[index].grant.node == node)
        return output_on(*job.view.job.spec, place, one.nodes[index].grant, index);
  }
  return std::nullopt;
}

std::optional<std::string> output_path(const AttemptOutput& output, std::int32_t rank,
                                       bool error_stream) {
  const std::int32_t first = output.place.rank;
  if (rank < first || rank >= first + output.ranks) return std::nullopt;
  OutputPlace place = output.place;
  place.rank = rank;
  return error_stream ? error_path(output.spec, place) : output_path(output.spec, place);
}

}  // namespace cox
