// Whom to ask to give way: the set of running jobs whose end provably lets the whole gang start and
// which loses the least work. Only lower tiers, only jobs that may be preempted and are not
// stopping yet, always whole gangs.
//
// Least is: the smallest cost, then fewest victims, then lowest tiers, then youngest. The cost of a
// victim is what it loses, in unit-seconds since its last checkpoint and to start again, times the
// weight of its tier, and budget_spent_price times as much if its preemption budget is spent. One
// that suspends loses nothing, and frees its CPUs alone: it serves a gang that lacks those. Up to
// victims_exact_max candidates the search is exact; above, greedy by cost for what is usefully
// freed, then pruned so that no victim is needless.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedule/model/resolved_request.h"
#include "schedule/model/room.h"

namespace cox::schedule {

inline constexpr std::size_t victims_exact_max = 16;  // candidates that are searched exactly
inline constexpr std::size_t bound_exact_max = 256;   // nodes, for gangs whose nodes are bound

// A RunningJob in positions of nodes.
struct Running {
  RunningJob job;
  Shared<GangParts> shares;  // all it was granted
  double priority = 0;       // by an order that preempts: as if it stood in line now
  Shared<GangParts> cpus{};  // of one that suspends: the CPUs alone, and all but those
  Shared<GangParts> rest{};

  const Shared<GangParts>& held() const { return job.stands_still ? rest : shares; }
  // What comes free when it gives way.
  const Shared<GangParts>& yielded() const { return job.suspends ? cpus : shares; }
  bool frees_cpus_soon() const { return job.suspended && !job.stands_still && !job.stopping; }
};

// Work that ends with the job: units × milliseconds, whole numbers so that sums compare exactly.
std::int64_t loss_unit_ms(const RunningJob& job, Boot now);

// Units × milliseconds in which it does nothing useful because it stops and starts again.
std::int64_t restart_unit_ms(const Settings& settings, const RunningJob& job);

// A victim whose budget is spent costs so many times as much, so that others are preferred.
inline constexpr std::int64_t budget_spent_price = 16;

// Returns when the job has run long enough since its start to be preempted.
Boot exempt_until(const Settings& settings, const RunningJob& job);

// Returns until when the job's preemption budget is spent: it was preempted preempt_budget times
// within preempt_budget_window. Nothing: the budget is not spent.
std::optional<Boot> budget_spent_until(const Settings& settings, const RunningJob& job, Boot now);

// Why a job that may be preempted is not preempted yet, and until when.
enum class Sparing : std::uint8_t {
  HasJustBegun,  // stopped now, it would have run for little more than its start
  BudgetSpent,   // it was preempted so often lately that it would not get on
};
struct Spared {
  Sparing why = Sparing::HasJustBegun;
  Boot until;
};
// `for_tier`: the tier of the job that wants its room. A spent budget spares a job from those of
// its own tier. For a higher tier it is a price, and never a bar: an urgent job must not wait for
// it.
std::optional<Spared> spared(const Settings& settings, const RunningJob& job, std::int64_t for_tier,
                             Boot now);

// Returns the cost of preempting the job now, as described above, in unit-milliseconds.
std::int64_t cost_unit_ms(const Settings& settings, const RunningJob& job, Boot now);

// What it costs when it gives way to this job, to compare victims by; empty when it does not. A
// lower tier gives way, and with an order that preempts one of the same tier that has run for long
// enough and stands behind: of those the cost is the worth of what stops.
std::optional<std::int64_t> cost_if_it_yields(const Settings& settings, const PendingJob& to,
                                              const Running& running, Boot now);

struct VictimCandidate {
  const Running* running = nullptr;
  std::int64_t cost = 0;
};

// `room`: free, and what is coming free anyway. Empty when no set of victims makes room, or when
// none is needed.
std::optional<std::vector<JobId>> choose_victims(const ResolvedRequest& need, const Nodes& nodes,
                                                 const Room& room,
                                                 std::span<const VictimCandidate> yielding);

}  // namespace cox::schedule
