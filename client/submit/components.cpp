#include "client/submit/components.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "client/submit/resolve_job.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

constexpr std::string_view between = ":";

Refusal refuse_per_component(const char* option) {
  return {std::string(option) + " is given after a \":\" or \"hetjob\"",
          "give it to the first component: it applies to the whole job"};
}

// Refuses options that a component after the first cannot have: a range of nodes, and options for
// the whole job.
Failure check_size_alone(const JobSpec& spec) {
  if (!spec.node_sizes.empty())
    return Refusal{"--nodes=" + spec.node_sizes + " of a component names several numbers",
                   "name one number of nodes"};
  if (!spec.switches.empty()) return refuse_per_component("--switches");
  if (!spec.topology.empty()) return refuse_per_component("--topology");
  if (!spec.array.empty()) return refuse_per_component("--array");
  if (!spec.dependency.empty()) return refuse_per_component("--dependency");
  return std::nullopt;
}

}  // namespace

Result<std::vector<GivenOptions>> read_components(const std::vector<std::string>& words,
                                                  const OptionTable& table) {
  std::vector<GivenOptions> all;
  std::size_t read = 0;
  for (;;) {
    const std::vector<std::string> rest(words.begin() + static_cast<std::ptrdiff_t>(read),
                                        words.end());
    auto given = read_options(rest, OptionPlace::CommandLine, table);
    if (!given) return given.refusal();
    read += given->words_read;
    all.push_back(std::move(*given));
    if (all.back().double_dash || read == words.size() || words[read] != between) break;
    if (std::cmp_equal(all.size(), limits::job_components_max))
      return Refusal{"the command line has more than " +
                         std::to_string(limits::job_components_max) + " components, the limit",
                     "join those that are alike"};
    ++read;
  }
  all.front().words_read = read;
  all.front().double_dash = all.back().double_dash;
  return all;
}

Failure add_components(const std::vector<SubmitOptions>& behind, const SubmitSurroundings& around,
                       JobSpec& spec, std::vector<std::string>& warnings) {
  for (const SubmitOptions& one : behind) {
    JobSpec alone = one.spec;
    if (Failure failure = resolve_job(one, around, alone, warnings)) return failure;
    if (Failure failure = check_size_alone(alone)) return failure;
    for (const auto& [option, behind, first] :
         {std::tuple{"--account", &alone.account, &spec.account},
          {"--qos", &alone.qos, &spec.qos},
          {"--reservation", &alone.reservation, &spec.reservation}})
      if (!behind->empty() && *behind != *first)
        warnings.push_back(std::string(option) + "=" + *behind +
                           " after the first component is ignored: it applies to the whole job");
    spec.time_limit_s = std::max(spec.time_limit_s, alone.time_limit_s);
    if (!alone.licences.empty())
      spec.licences += (spec.licences.empty() ? "" : ",") + alone.licences;
    spec.components.push_back(alone);
  }
  return std::nullopt;
}

std::vector<JobView> component_views(const JobView& view) {
  const ParsedSpec& spec = *view.job.spec;
  if (spec.components.empty()) return {view};
  std::vector<JobView> views;
  // view.nodes lists the nodes of component 0 first, then those of 1, ...
  auto next = view.nodes.begin();
  for (std::int64_t i = 0; i < component_count(spec); ++i) {
    JobView& one = views.emplace_back(view);
    ParsedSpec alone = component_spec(spec, i);
    const std::int64_t left = view.nodes.end() - next;
    const auto end = next + std::min(alone.nodes, left);
    one.job.component = i;
    one.nodes.assign(next, end);
    next = end;
    one.partition = alone.partition;
    if (i == 0) one.partition = view.partition;
    one.ranks = alone.tasks;
    one.cpus = alone.tasks * alone.cpus_per_task;
    one.memory_mb = alone.nodes * alone.memory_mb_per_node;
    one.gpus = alone.nodes * alone.gpus_per_node;
    one.job.spec = std::move(alone);
  }
  return views;
}

namespace {

JobRecord component_record(const JobRecord& record, std::int64_t component,
                           const std::vector<std::string>& nodes) {
  JobRecord one = record;
  ParsedSpec alone = component_spec(*record.job.spec, component);
  RunRecord& run = one.run;
  one.job.component = component;
  run.nodelist = nodes.empty() ? "" : compress_hostlist(nodes);
  run.nodes = std::ssize(nodes);
  run.cpus = alone.tasks * alone.cpus_per_task;
  run.memory_mb = alone.nodes * alone.memory_mb_per_node;
  run.gpu_milli = alone.nodes * alone.gpus_per_node * alone.gpu_milli;
  run.first_node = nodes.empty() ? "" : nodes.front();
  if (component > 0) {
    run.usage = {};  // the use by the batch script counts for component 0
    run.partition = alone.partition;
    alone.form = JobForm::Allocation;  // the batch script runs in component 0
  }
  std::erase_if(one.steps, [&](const Step& step) {
    // component -1: a step on all components, which is shown with component 0
    return std::max<std::int64_t>(step.spec.component, 0) != component;
  });
  one.job.spec = std::move(alone);
  return one;
}

}  // namespace

std::vector<JobRecord> component_records(std::vector<JobRecord> records) {
  std::vector<JobRecord> all;
  for (JobRecord& record : records) {
    const JobSpec& spec = *record.job.spec;
    if (spec.components.empty()) {
      all.push_back(std::move(record));
      continue;
    }
    const auto nodes = expand_hostlist(record.run.nodelist);
    auto left = nodes ? *nodes : std::vector<std::string>{};
    for (std::int64_t i = 0; i < component_count(spec); ++i) {
      const auto count = std::min(component_spec(spec, i).nodes, std::ssize(left));
      const auto end = left.begin() + count;
      all.push_back(component_record(record, i, {left.begin(), end}));
      left.erase(left.begin(), end);
    }
  }
  return all;
}

}  // namespace cox
