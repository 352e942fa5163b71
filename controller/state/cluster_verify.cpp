// Every cross-reference in the controller's memory, walked: for tests and the simulator.
#include <map>

#include "common/base/check.h"
#include "controller/state/cluster.h"

namespace cox {

void Cluster::verify() const {
  std::map<std::string, std::int64_t> cpus;
  std::map<std::string, std::map<std::int32_t, std::int64_t>> gpus;  // thousandths of each
  std::size_t in_line = 0;
  std::int64_t count = 0;
  for (const auto& [id, e] : jobs_) {
    CHECK(e.job.id == id);
    CHECK(unfinished_.contains(id) == !is_final(e.job.state));
    const bool array_is_over = !is_of_array(e.job) || arrays_.is_over(e.job.array_job);
    CHECK(ended_.contains({e.ended_with, id}) == (is_final(e.job.state) && array_is_over));
    count += is_final(e.job.state) ? 0 : task_count(e.job);
    CHECK(live_.contains(id) == is_live(e.job.state));
    in_line += e.in_line ? 1 : 0;
    CHECK(e.in_line == e.is_eligible());
    CHECK(e.kept_out == kept_out_.contains(id));
    CHECK(e.kept_out == (e.job.state == JobState::Pending && keeps_out(*e.job.spec)));
    CHECK((e.begins != Wall{}) == begins_.contains({e.begins, id}));
    const bool in_vain = e.job.state == JobState::Pending && is_hopeless(e.job);
    CHECK(hopeless_unrecorded_.contains(id) == (in_vain && !is_told_in_vain(wait_of(id))));
    CHECK((e.job.ended != Wall{}) == is_final(e.job.state));
    CHECK((e.live_attempt() != nullptr) == is_live(e.job.state));
    if (!e.attempts.empty()) CHECK(e.attempts.back().key.attempt == e.job.attempt);
    for (std::size_t i = 0; i + 1 < e.attempts.size(); ++i) CHECK(e.attempts[i].ended != Wall{});
    const Attempt* live = e.live_attempt();
    if (live == nullptr) continue;
    for (const auto& n : live->nodes) {
      CHECK(live_on_.at(n.grant.node).contains(id));
      if (!holds_room(*live, n)) continue;
      if (!stands_still(*live)) cpus[n.grant.node] += n.grant.cpus;
      for (const auto g : n.grant.gpus)
        CHECK((gpus[n.grant.node][g] += n.grant.gpu_milli) <= gpu_whole);
    }
  }
  for (const auto& [key, line] : crontabs_.lines()) {
    CHECK(unfinished_.contains(line.job));
    CHECK(crontabs_.line_of(line.job) == &line);
    CHECK(crontabs_.of(line.uid) != nullptr);
  }
  for (const auto& [id, wait] : waits_) CHECK(job(id)->job.state == JobState::Pending);
  CHECK(in_line == scheduler_->engine().line().size());
  CHECK(count == unfinished_count_);
  for (const auto& [name, used] : cpus) CHECK(used <= node(name)->total.cpus);
}

}  // namespace cox
