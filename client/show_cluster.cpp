#include "client/show.h"

namespace cox {

std::string show_cluster(const ClusterView& view, const Screen& screen) {
  std::string tiers;
  for (const auto& qos : view.qos) tiers += (tiers.empty() ? "" : ", ") + qos;
  return named_lines({{"cluster", view.name},
                      {"version", view.version},
                      {"term", std::to_string(view.term.value)},
                      {"database", view.database},
                      {"nodes", std::to_string(view.nodes_responding) + " of " +
                                    std::to_string(view.nodes) + " responding"},
                      {"jobs", std::to_string(view.jobs_live) + " running, " +
                                   std::to_string(view.jobs_pending) + " pending"},
                      {"qos", tiers}},
                     screen.colour);
}

}  // namespace cox
