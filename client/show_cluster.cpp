#include "client/show.h"

namespace cox {
namespace {

std::string preemption_text(const Qos& qos) {
  if (qos.preempt_mode == PreemptMode::Off) return "never preempted";
  const std::string grace = std::to_string(qos.grace_ms / 1000) + " s";
  std::string text = qos.asks_to_save() ? "asked to save within " + grace
                     : qos.grace_ms > 0 ? "stopped within " + grace
                                        : "stopped at once";
  text += qos.preempt_mode == PreemptMode::Cancel ? ", and over" : ", and requeued";
  return "preempted: " + text;
}

}  // namespace

std::string show_cluster(const ClusterView& view, const Screen& screen) {
  std::vector<std::pair<std::string, std::string>> lines{
      {"cluster", view.name},
      {"version", view.version},
      {"term", std::to_string(view.term.value)},
      {"database", view.database},
      {"nodes",
       std::to_string(view.nodes_responding) + " of " + std::to_string(view.nodes) + " responding"},
      {"jobs", std::to_string(view.jobs_live) + " running, " + std::to_string(view.jobs_pending) +
                   " pending"}};
  for (const Qos& qos : view.tiers)
    lines.emplace_back("qos " + qos.name,
                       "tier " + std::to_string(qos.tier) + "; " + preemption_text(qos));
  return named_lines(lines, screen.colour);
}

}  // namespace cox
