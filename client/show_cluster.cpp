#include "client/moments.h"
#include "client/show.h"

namespace cox {
namespace {

// Fewer say nothing.
constexpr std::int64_t estimates_told_min = 10;

std::string estimates_text(const EstimateView& estimates) {
  return "half were off by " + duration_text(estimates.error_ms_median) +
         " or less, nine of ten by " + duration_text(estimates.error_ms_p90) + "; " +
         std::to_string((estimates.close_permille + 5) / 10) + " % close (of " +
         std::to_string(estimates.count) + ")";
}

}  // namespace

std::string show_cluster(const ClusterView& view, const Screen& screen) {
  std::string tiers;
  for (const auto& qos : view.qos) tiers += (tiers.empty() ? "" : ", ") + qos;
  const bool told = view.estimates.count >= estimates_told_min;
  const std::string estimates = told ? estimates_text(view.estimates) : "";
  return named_lines({{"cluster", view.name},
                      {"version", view.version},
                      {"term", std::to_string(view.term.value)},
                      {"database", view.database},
                      {"nodes", std::to_string(view.nodes_responding) + " of " +
                                    std::to_string(view.nodes) + " responding"},
                      {"jobs", std::to_string(view.jobs_live) + " running, " +
                                   std::to_string(view.jobs_pending) + " pending"},
                      {"qos", tiers},
                      {"estimated starts", estimates}},
                     screen.colour);
}

}  // namespace cox
