#include "client/submit/resolve_job.h"

#include <algorithm>
#include <cstdint>

#include "client/options/submit_option_table.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/syntax/node_range.h"

namespace cox {
namespace {

Failure resolve_folder(const std::string& here, JobSpec& spec) {
  if (!spec.work_dir.starts_with('/'))
    spec.work_dir = spec.work_dir.empty() ? here : here + "/" + spec.work_dir;
  if (spec.work_dir.size() <= limits::path_bytes_max && is_utf8(spec.work_dir) &&
      !has_control_characters(spec.work_dir))
    return std::nullopt;
  return Refusal{"the job would run in " + quoted(spec.work_dir) +
                     ", which is not valid UTF-8, has control characters (shown as ?) or is "
                     "longer than " +
                     std::to_string(limits::path_bytes_max) + " bytes",
                 "choose another folder with --chdir"};
}

Failure take_moment(const std::string& text, const LocalTime& here, Wall& into) {
  if (text.empty()) return std::nullopt;
  const Result<Wall> moment = parse_local_moment(text, here);
  if (!moment) return moment.refusal();
  into = *moment;
  return std::nullopt;
}

Failure resolve_moments(const SubmitOptions& asked, const LocalTime& here, JobSpec& spec) {
  if (Failure failure = take_moment(asked.begin, here, spec.begin)) return failure;
  return take_moment(asked.deadline, here, spec.deadline);
}

// Makes the numbers of nodes and tasks consistent, as Slurm's sbatch does: the job gets all nodes
// that --nodelist names, but no more nodes than tasks. A range such as --nodes=1-4 stays if it
// allows the number of named nodes.
void resolve_nodes(JobSpec& spec, std::vector<std::string>& warnings) {
  const auto named = static_cast<std::int64_t>(spec.nodelist.size());
  const auto range = parse_node_range(spec.node_sizes);
  const std::int64_t most = spec.node_sizes.empty() || !range ? spec.nodes : range->most;
  const bool is_range = most > spec.nodes && named <= most;
  const std::int64_t nodes = is_range ? named : std::max(most, named);
  if (spec.tasks_asked && spec.tasks < nodes) {
    warnings.push_back("can't run " + std::to_string(spec.tasks) + " processes on " +
                       std::to_string(nodes) + " nodes, setting nnodes to " +
                       std::to_string(spec.tasks));
    spec.nodes = spec.tasks;
    if (named > spec.tasks) spec.nodelist.resize(static_cast<std::size_t>(spec.tasks));
  } else if (most > 0 && named > most) {
    warnings.push_back("can't run on " + std::to_string(most) +
                       (most == 1 ? " node when " : " nodes when ") + std::to_string(named) +
                       " are named, setting nnodes to " + std::to_string(named));
    spec.nodes = named;
  } else {
    return;
  }
  spec.node_sizes.clear();
}

}  // namespace

Failure resolve_job(const SubmitOptions& asked, const SubmitSurroundings& around, JobSpec& spec,
                    std::vector<std::string>& warnings) {
  for (const std::string& warning : ignored_option_warnings(asked)) warnings.push_back(warning);
  if (Failure failure = resolve_moments(asked, around.here, spec)) return failure;
  if (Failure failure = resolve_folder(around.work_dir, spec)) return failure;
  if (spec.memory_mb_per_node > 0 && (spec.memory_mb_per_cpu > 0 || spec.memory_mb_per_gpu > 0))
    return Refusal{"--mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive",
                   "ask for memory in one way"};
  resolve_nodes(spec, warnings);
  return std::nullopt;
}

}  // namespace cox
