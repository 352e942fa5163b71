#include "client/show/show_cluster.h"

#include "client/text/moments.h"
#include "client/text/node_faults.h"
#include "client/text/table.h"
#include "common/base/text.h"
#include "common/base/time_format.h"

namespace cox {
namespace {

// The accuracy of expected starts is shown only if at least so many were compared with the starts.
constexpr std::int64_t estimates_shown_min = 10;

std::string estimates_text(const EstimateView& estimates) {
  return "of " + std::to_string(estimates.count) + ", half were off by " +
         duration_text(estimates.error_ms_median) + " or less, nine of ten by " +
         duration_text(estimates.error_ms_p90) + " or less; " +
         std::to_string((estimates.close_permille + 5) / 10) +
         " % by a minute or a tenth of the wait at most";
}

std::string preemption_text(const Qos& qos) {
  if (qos.preempt_mode == PreemptMode::Off) return "never preempted";
  if (qos.preempt_mode == PreemptMode::Suspend) return "preempted: suspended, and resumed later";
  const std::string grace = std::to_string(qos.grace_ms / 1000) + " s";
  const std::string end = qos.preempt_mode == PreemptMode::Cancel ? "cancelled" : "requeued";
  if (qos.requests_save()) return "preempted: " + end + ", with " + grace + " to save";
  return "preempted: " + end + (qos.grace_ms > 0 ? ", with " + grace + " to stop" : " at once");
}

std::string limits_text(const QosLimits& limits) {
  std::string text;
  const auto add = [&text](const char* what, const std::string& value) {
    if (!value.empty()) text += (text.empty() ? "" : "  ") + std::string(what) + "=" + value;
  };
  const auto number = [](const std::optional<std::int64_t>& value) {
    return value ? std::to_string(*value) : "";
  };
  add("KeptTRES", format_tres(limits.kept_tres));
  add("GrpTRES", format_tres(limits.grp_tres));
  add("GrpJobs", number(limits.grp_jobs));
  add("GrpSubmitJobs", number(limits.grp_submit_jobs));
  add("GrpTRESMins", format_tres(limits.grp_tres_mins));
  add("GrpWall", limits.grp_wall_s ? format_time_limit(*limits.grp_wall_s) : "");
  add("MaxTRESPerUser", format_tres(limits.max_tres_per_user));
  add("MaxJobsPerUser", number(limits.max_jobs_per_user));
  add("MaxSubmitJobsPerUser", number(limits.max_submit_jobs_per_user));
  add("MaxTRESPerJob", format_tres(limits.max_tres_per_job));
  add("MinTRESPerJob", format_tres(limits.min_tres_per_job));
  add("MaxWall", limits.max_wall_s ? format_time_limit(*limits.max_wall_s) : "");
  return text.empty() ? "none" : text;
}

}  // namespace

std::string show_qos(const ClusterView& view, const Screen& screen) {
  Table table({"QOS", "TIER", "PREEMPTION", "LIMITS"});
  table.right(1);
  for (const Qos& qos : view.tiers)
    table.row({qos.name, std::to_string(qos.tier), preemption_text(qos), limits_text(qos.limits)});
  return table.text(screen.colour);
}

std::string show_cluster(const ClusterView& view, const std::vector<NodeView>& nodes,
                         const Screen& screen) {
  std::vector<std::pair<std::string, std::string>> lines{
      {"cluster", view.name},
      {"version", view.version},
      {"term", std::to_string(view.term.value)},
      {"database", localised_text(view.database, screen)},
      {"nodes",
       std::to_string(view.nodes_responding) + " of " + std::to_string(view.nodes) + " responding"},
      {"jobs", std::to_string(view.jobs_live) + " running, " + std::to_string(view.jobs_pending) +
                   " pending"}};
  for (const NodeFault& fault : node_faults(nodes))
    lines.emplace_back("drained", printable(fault_text(fault) + " -> " + fault_hint(fault)));
  if (!view.clock_doubt.empty())
    lines.emplace_back("clock", "the controller's time of day " + view.clock_doubt);
  for (const Qos& qos : view.tiers)
    lines.emplace_back("qos " + qos.name,
                       "tier " + std::to_string(qos.tier) + "; " + preemption_text(qos));
  if (view.estimates.count >= estimates_shown_min)
    lines.emplace_back("estimated starts", estimates_text(view.estimates));
  return named_lines(lines, screen.colour);
}

}  // namespace cox
