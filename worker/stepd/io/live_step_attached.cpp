// A step of sattach, which follows another step on this node. Its client gets copies of the other
// tasks' output from now on and of their ends, and can send them input. It ends with the other
// step.
//
// A follower never delays the tasks: output that comes while its client has given no credit is
// dropped, and the client gets a line with the number of bytes.
#include <algorithm>
#include <utility>

#include "worker/stepd/io/live_step.h"

namespace cox {

using namespace stepd;

void LiveStep::attach(std::int32_t number) {
  attached_to_ = number;
  const auto found = around_.steps.find(number);
  if (found == around_.steps.end() || found->second->is_forgotten_ || found->second->attached_to_) {
    run_.add_note("step " + std::to_string(number) + " does not run on this node");
    return detach();
  }
  LiveStep& other = *found->second;
  other.followers_.push_back(launch_.number);
  TasksStarted started;
  for (const Task& task : other.tasks_) started.pids.push_back(task.process.pid);
  feed(started);
  const bool writes_here = std::ranges::any_of(other.tasks_, [](const Task& task) {
    return task.process.output.is_open() || task.process.error.is_open();
  });
  if (!other.tasks_.empty() && !writes_here)
    run_.add_note("its tasks write to files, or have closed their streams");
}

void LiveStep::detach() {
  if (run_.status().phase == StepPhase::Gone || is_detached_) return;
  is_detached_ = true;
  report_missed();
  if (const auto other = around_.steps.find(*attached_to_); other != around_.steps.end())
    std::erase(other->second->followers_, launch_.number);
  for (std::size_t local = 0; local < launch_.ranks.size(); ++local) {
    TaskExited exited;
    exited.local = local;
    feed(exited);
  }
  feed(StreamsEnded{});
}

void LiveStep::offer(const StreamBytes& data) {
  const auto bytes = static_cast<std::int64_t>(data.data.size());
  if (credit_ <= 0) {
    missed_[{data.rank, data.stream}] += bytes;
    return;
  }
  credit_ -= bytes + stream_cost;
  say(data);
}

void LiveStep::report_missed() {
  for (const auto& [whose, bytes] : std::exchange(missed_, {}))
    say(StreamBytes{whose.first, StreamName::Error,
                    "sattach: error: " + std::to_string(bytes) + " bytes of task " +
                        std::to_string(whose.first) +
                        " are missing here: they came faster than they were read\n"});
}

}  // namespace cox
