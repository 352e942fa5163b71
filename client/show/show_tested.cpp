#include "client/show/show_tested.h"

#include "client/show/show_words.h"
#include "client/text/moments.h"
#include "common/base/text.h"

namespace cox {
namespace {

std::string where_text(const JobView& view) {
  return view.nodes.empty() ? "" : " on " + printable(node_list_text(view.nodes));
}

std::string bound_text(const JobTested& tested, const Screen& screen) {
  if (tested.view.at_the_earliest) return "";
  const bool later = tested.view.expected_start > screen.now;
  return tested.at_the_latest && later ? " at the latest" : "";
}

}  // namespace

std::string show_tested(const JobTested& tested, const Screen& screen) {
  const JobView& view = tested.view;
  if (tested.starts_now) return "It would start now" + where_text(view) + ".\n";
  if (view.reason == WaitReason::JobHeldUser) return "It would wait until it is released.\n";
  std::string out = "It would wait. Reason: " + std::string(name(view.reason)) + "\n" +
                    localised_text(view.reason_detail, screen) + "\n";
  if (tested.why != std::vector<std::string>{view.reason_detail})
    out += numbered_lines(tested.why, screen);
  if (view.expected_start != Wall{})
    out += "It would start " + ago_text(view.expected_start, screen) + bound_text(tested, screen) +
           " (" + absolute_text(view.expected_start, screen) + ")" + where_text(view) +
           (view.at_the_earliest ? " at the earliest: jobs ahead of it may delay it.\n" : ".\n");
  return out;
}

std::string show_submit_rules(const JobTested& tested, const Screen& screen) {
  if (tested.rules.empty()) return "This cluster has no rules for submissions.\n";
  std::string out;
  for (const std::string& line : tested.rules) out += localised_text(line, screen) + "\n";
  if (!tested.refused)
    return out + "The rules accept this job. `cox submit --test` also shows when it would start.\n";
  out += "The rules refuse this job: " + localised_text(tested.refused->fact, screen) + "\n";
  return out +
         (tested.refused->hint.empty() ? "" : localised_text(tested.refused->hint, screen) + "\n");
}

std::string show_tested_as_slurm(const JobTested& tested, const Screen& screen) {
  const JobSpec& spec = *tested.view.job.spec;
  std::int64_t processors = spec.tasks * spec.cpus_per_task;
  for (const JobSize& one : spec.components) processors += one.tasks * one.cpus_per_task;
  const std::string job = "sbatch: Job " + std::to_string(tested.view.job.id.value);
  if (!tested.starts_now && tested.view.expected_start == Wall{})
    return job + " to wait: " + std::string(name(tested.view.reason)) + ": " +
           localised_text(tested.view.reason_detail, screen) + "\n";
  const Wall start = tested.starts_now ? screen.now : tested.view.expected_start;
  std::string out = job + " to start at " + slurm_moment_text(start, screen) + " using " +
                    std::to_string(processors) + " processors";
  if (!tested.view.nodes.empty())
    out += " on nodes " + printable(node_list_text(tested.view.nodes));
  return out + " in partition " + printable(tested.view.partition) + "\n";
}

}  // namespace cox
