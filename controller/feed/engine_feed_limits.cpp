// The part of EngineFeed for limits: past usage, the quotas of accounts, and the amounts that are
// kept for a QOS (kept_tres).
#include <algorithm>
#include <cmath>

#include "controller/feed/engine_feed.h"
#include "controller/state/usage.h"
#include "schedule/queue/quota.h"

namespace cox {

// Charges each limit of recent use (GrpTRESMins, GrpWall) with the decayed past usage of its QOS,
// or of its association and all below it.
void EngineFeed::update_charges(Now now) {
  const auto& timed = cluster_.accounting().limits_in_use().timed();
  const UsageSettings& settings = cluster_.config().usage;
  const bool due = cluster_.dirty().charges || charged_limits_ != timed.size() ||
                   now.boot - charged_at_ >= settings.period;
  if (timed.empty() || !due) return;
  cluster_.dirty().charges = false;
  charged_limits_ = timed.size();
  charged_at_ = now.boot;
  std::map<AssociationId, std::map<std::string, double>> used;
  for (const auto& [id, one] : cluster_.accounting().accounts().all()) {
    if (one.usage.empty()) continue;
    for (const Association* above : cluster_.accounting().accounts().chain(one))
      for (const TresUsage& use : one.usage)
        used[above->id][use.tres] += used_by(one, use.tres, now.wall, settings.half_life);
  }
  const auto used_of_qos = [&](const std::string& qos, const std::string& tres) {
    const auto known = cluster_.accounting().qos_usage().find(qos);
    if (known == cluster_.accounting().qos_usage().end()) return 0.0;
    return used_by(known->second.usage, known->second.at, tres, now.wall, settings.half_life);
  };
  for (const LimitRegistry::Timed& limit : timed) {
    const bool wall = limit.what.what == Tres::Jobs;
    const std::string tres = wall ? std::string(wall_tres) : tres_name(limit.what);
    const double thousandths = limit.what.what == Tres::GpuMilli ? 1000 : 1;
    const double seconds =
        limit.qos.empty() ? used[limit.association][tres] : used_of_qos(limit.qos, tres);
    scheduler_->engine().charge_limit(limit.limit, std::llround(seconds * thousandths));
  }
}

namespace {

// Returns how much of the limit's resource jobs hold on nodes that are not available. The amount
// that the nodes have does not include it, so it must not count as used either.
std::int64_t held_out_of_reach(const schedule::Engine& engine, std::int32_t limit) {
  const schedule::Nodes& nodes = engine.nodes();
  const auto is_away = [&](const NodeGrant& grant) {
    const auto at = nodes.find(grant.node);
    return !at || !nodes[*at].node->available;
  };
  std::int64_t sum = 0;
  for (const auto& [id, running] : engine.running()) {
    const Placement& grants = running.job.grants;
    const auto away = std::ranges::count_if(grants, is_away);
    if (away > 0) sum += engine.limit_use().used_by(id, limit) * away / std::ssize(grants);
  }
  return sum;
}

}  // namespace

// Updates quotas, and the limits that keep room for a QOS. Against each of these the amount that
// the nodes have counts as negative use, so that the rest of the limit is what other jobs may use.
void EngineFeed::update_quotas() {
  schedule::Engine& engine = scheduler_->engine();
  if (std::exchange(cluster_.dirty().quotas, false))
    engine.set_quotas(cluster_.accounting().quotas());
  for (const auto& [limit, what] : cluster_.accounting().limits_in_use().kept_limits()) {
    const auto [there_is, is_new] = room_there_is_.try_emplace(limit, 0);
    if (is_new) there_is->second = schedule::available_of(engine.nodes(), what);
    engine.charge_limit(limit, -there_is->second - held_out_of_reach(std::as_const(engine), limit));
  }
}

}  // namespace cox
