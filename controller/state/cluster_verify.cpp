// CHECKs every cross-reference in the controller's memory, for tests and the simulator.
#include <map>

#include "common/base/check.h"
#include "controller/state/cluster.h"

namespace cox {

void Cluster::verify_job(const JobEntry& e) const {
  const JobId id = e.job.id;
  const bool is_pending = e.job.state == JobState::Pending;
  CHECK(jobs_.is_unfinished(id) == !is_final(e.job.state));
  const bool array_is_over = !is_of_array(e.job) || jobs_.arrays().is_over(e.job.array_job);
  CHECK(jobs_.has_end(id) == (is_final(e.job.state) && array_is_over));
  CHECK(jobs_.live().contains(id) == is_live(e.job.state));
  CHECK(e.kept_out == eligibility_.kept_out().contains(id));
  CHECK(e.kept_out == (is_pending && partitions_.is_closed_to(*e.job.spec)));
  CHECK(e.waits_to_begin == eligibility_.begin_time(id).has_value());
  CHECK(!e.waits_to_begin || eligibility_.begins().contains({*eligibility_.begin_time(id), id}));
  CHECK(eligibility_.hopeless_unrecorded().contains(id) ==
        (is_pending && is_hopeless(e.job) && !is_never_satisfied(waits_.of(id))));
  CHECK((e.job.ended != Wall{}) == is_final(e.job.state));
  CHECK((e.live_attempt() != nullptr) == is_live(e.job.state));
  if (!e.attempts.empty()) CHECK(e.attempts.back().key.attempt == e.job.attempt);
  for (std::size_t i = 0; i + 1 < e.attempts.size(); ++i) CHECK(e.attempts[i].ended != Wall{});
}

void Cluster::verify_room() const {
  std::map<std::string, std::int64_t> cpus;
  std::map<std::string, std::map<std::int32_t, std::int64_t>> gpus;  // thousandths of each
  std::map<std::string, std::set<JobId>> live_on;
  for (const JobId id : jobs_.live()) {
    const Attempt& live = *job(id)->live_attempt();
    for (const auto& n : live.nodes) {
      live_on[n.grant.node].insert(id);
      if (!holds_room(live, n)) continue;
      if (!is_suspended(live)) cpus[n.grant.node] += n.grant.cpus;
      for (const auto g : n.grant.gpus)
        CHECK((gpus[n.grant.node][g] += n.grant.gpu_milli) <= gpu_whole);
    }
  }
  for (const auto& [name, ids] : live_on)
    CHECK(jobs_.on_node(name) == std::vector<JobId>(ids.begin(), ids.end()));
  for (const auto& [name, used] : cpus) CHECK(used <= node(name)->total.cpus);
}

void Cluster::verify() const {
  std::int64_t count = 0;
  for (const auto& [id, e] : jobs_.all()) {
    CHECK(e.job.id == id);
    count += is_final(e.job.state) ? 0 : task_count(e.job);
    verify_job(e);
  }
  CHECK(count == jobs_.unfinished_count());
  verify_room();
  for (const auto& [key, line] : crontabs_.lines()) {
    CHECK(jobs_.is_unfinished(line.job));
    CHECK(crontabs_.line_of(line.job) == &line);
    CHECK(crontabs_.of(line.uid) != nullptr);
  }
  for (const auto& [id, wait] : waits_.all()) CHECK(job(id)->job.state == JobState::Pending);
}

}  // namespace cox
