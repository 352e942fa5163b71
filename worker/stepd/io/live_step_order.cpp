// Builds the TaskOrder to start a task of a step: command, environment, limits, streams, CPUs,
// container.
#include <algorithm>
#include <utility>

#include "common/job/container.h"
#include "common/job/output_path.h"
#include "worker/stepd/io/live_step.h"
#include "worker/stepd/step_environment.h"

namespace cox {

using namespace stepd;

TaskOrder LiveStep::order_of(std::size_t local, const StepEnvironment& environment) const {
  const std::int32_t rank = launch_.ranks[local];
  TaskOrder order;
  for (const TaskCommand& one : begin_.commands) {
    const bool is_addressed =
        one.ranks.empty() || std::ranges::find(one.ranks, rank) != one.ranks.end();
    if (!is_addressed) continue;
    order.words = one.words;
    break;
  }
  order.environment = environment.of_task(local);
  order.soft_limits = take_soft_limits(order.environment);
  order.prologs = task_prologs(around_.job.site, begin_.task_prolog);
  order.work_dir = begin_.work_dir;
  order.umask = static_cast<mode_t>(begin_.umask);
  order.pty = begin_.pty_rank == rank;
  order.rows = begin_.rows;
  order.columns = begin_.columns;
  order.error_joins = begin_.error_joins;
  const auto& node = around_.job.nodes[static_cast<std::size_t>(around_.job.node_index)];
  OutputPlace place{around_.job.key,       node.grant.node,        launch_.node_index, rank,
                    around_.job.array_job, around_.job.array_task, launch_.number};
  const auto stream = [&](const StreamWish& wish) -> TaskStream {
    if (wish.mode == StreamMode::Client) return {};
    if (wish.mode == StreamMode::Null) return {false, "/dev/null", true};
    std::string path = fill_pattern(wish.path, around_.job.spec, place);
    if (!path.starts_with('/')) path = begin_.work_dir + "/" + path;
    return {false, std::move(path), wish.append};
  };
  order.input = stream(begin_.input);
  const bool gets_input = begin_.input_rank < 0 || begin_.input_rank == rank;
  if (order.input.piped && !gets_input) order.input = {false, "/dev/null", true};
  order.output = stream(begin_.output);
  order.output_is_terminal = begin_.unbuffered;
  order.error = stream(begin_.error);
  order.cpus = binding_.cpus(local);
  binding_.put_into(order.environment, local);
  auto binding_message = binding_.binding_message(local, around_.cpus.usable);
  order.shown_before = std::move(binding_message.before);
  order.shown_behind = std::move(binding_message.behind);
  return order;
}

Failure LiveStep::put_into_container(TaskOrder& order) const {
  auto words = container_words(around_.job.site.container_command, begin_.container,
                               {std::move(order.words),
                                order.environment,
                                {around_.folder, around_.job.job_checkpoint_dir}});
  if (!words) return words.refusal();
  order.words = std::move(*words);
  return std::nullopt;
}

}  // namespace cox
