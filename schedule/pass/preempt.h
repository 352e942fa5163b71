// Chooses the victims of a preemption: running jobs whose end provably lets the whole gang start,
// with the least loss of work. Candidates are whole gangs that may be preempted and are not
// stopping yet. Mostly they are of lower tiers; account quotas and some orders allow others, too.
//
// The best choice has the smallest cost, then the fewest victims, then the lowest tiers, then the
// youngest jobs. The cost of a victim is the work since its last checkpoint plus the cost of a
// restart, in unit-seconds, times the weight of its tier. If its preemption budget is spent, it is
// multiplied by budget_spent_price. A victim that is suspended loses nothing and frees only its
// CPUs. Up to victims_exact_max candidates the search is exact. Above that it is greedy by cost per
// useful unit, and needless victims are removed afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedule/engine/running.h"
#include "schedule/model/resolved_request.h"
#include "schedule/model/room.h"

namespace cox::schedule {

// number of candidates up to which the search is exact
inline constexpr std::size_t victims_exact_max = 16;
// if the preemptor's nodes must be near each other: exact only with fewer usable nodes
inline constexpr std::size_t bound_exact_max = 256;

// Returns the work that is lost if the job ends now: its units (GPUs; without GPUs, CPUs) times the
// milliseconds since it last saved. The result is whole, so that sums compare exactly.
std::int64_t loss_unit_ms(const RunningJob& job, Boot now);

// Returns the work that the job loses by stopping and restarting, in units times milliseconds.
std::int64_t restart_unit_ms(const Settings& settings, const RunningJob& job);

// Factor on the cost of a victim whose preemption budget is spent.
inline constexpr std::int64_t budget_spent_price = 16;

// Why a preemptable job is exempt from preemption for a time.
enum class Sparing : std::uint8_t {
  // its exempt time is not over, so it would have run little longer than its start takes
  HasJustBegun,
  BudgetSpent,  // it was preempted too often lately to make progress
};
struct Spared {
  Sparing why = Sparing::HasJustBegun;
  Boot until;
};
// Returns why and until when the job is exempt; empty if it is not exempt now. `for_tier`: the tier
// of the preemptor. A spent budget exempts a job only from preemptors of its own or a lower tier.
// For a higher tier it only raises the cost, so that an urgent job does not wait for it.
std::optional<Spared> spared(const Settings& settings, const RunningJob& job, std::int64_t for_tier,
                             Boot now);

// Returns the cost of preempting the job now, as described above, in unit-milliseconds.
std::int64_t cost_unit_ms(const Settings& settings, const RunningJob& job, Boot now);

// Returns the cost of preempting `running` for the job `to`; empty if that is not allowed. Jobs of
// lower tiers may be preempted. Under an order that preempts inside tiers, so may jobs of the same
// tier that have run long enough and are behind in the order; their cost grows with their size and
// priority.
std::optional<std::int64_t> preemption_cost(const Settings& settings, const PendingJob& to,
                                            const Running& running, Boot now);

struct VictimCandidate {
  const Running* running = nullptr;
  std::int64_t cost = 0;
};

// The victims of one preemption, ascending by their ids.
using Victims = std::vector<const Running*>;
std::vector<JobId> ids_of(const Victims& victims);

// Returns the victims; empty if no set of candidates makes room, or if none is needed. `room`: what
// is free or will be free anyway.
std::optional<Victims> choose_victims(const ResolvedRequest& need, const Nodes& nodes,
                                      const Room& room, std::span<const VictimCandidate> yielding);

}  // namespace cox::schedule
