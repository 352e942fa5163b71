#include "simulate/run/fairness.h"

#include <algorithm>
#include <cmath>

#include "simulate/run/entitlement.h"
#include "simulate/run/guarantees.h"

namespace cox::simulate {
namespace {

// An event: a job begins or stops waiting, or it begins or stops being on nodes.
struct Turn {
  Milliseconds at{};
  const Stay* stay = nullptr;
  bool begins = false;
};

std::vector<Turn> turns_in(const Simulated& simulated) {
  std::vector<Turn> turns;
  for (const Stay& stay : simulated.stays) {
    turns.push_back({stay.from, &stay, true});
    turns.push_back({stay.to, &stay, false});
  }
  std::ranges::stable_sort(turns, {}, &Turn::at);
  return turns;
}

double hours(Milliseconds time) {
  return static_cast<double>(time.count()) / 3'600'000;
}

// Sums over some time: by owner, usage and entitlement in unit-hours, and hours with waiting jobs.
struct Sums {
  std::vector<double> used;
  std::vector<double> entitled;
  std::vector<double> waiting;
  double all_used = 0;
  double time = 0;

  explicit Sums(std::size_t owners) : used(owners), entitled(owners), waiting(owners) {}

  void add(const std::vector<OwnerDemand>& demand, const std::vector<double>& entitled_now,
           Milliseconds lasts) {
    const double span = hours(lasts);
    for (std::size_t i = 0; i < used.size(); ++i) {
      used[i] += demand[i].held * span;
      entitled[i] += entitled_now[i] * span;
      if (demand[i].jobs_waiting > 0) waiting[i] += span;
    }
    all_used += demand[0].held * span;
    time += span;
  }
};

double part(double some, double all) {
  return all > 0 ? some / all : 0;
}

class Sweep {
 public:
  Sweep(const Accounts& accounts, const std::vector<OwnerAt>& owners,
        const std::vector<TraceJob>& jobs, const Simulated& simulated);

  Fairness run() &&;

 private:
  void turn(const Turn& turn);
  void pass_time(Milliseconds from, Milliseconds to);
  void add_stay(const Stay& stay);
  AccountFigures figures_of(std::size_t owner) const;

  const std::vector<Owner>& owners_;
  const std::vector<OwnerAt>& owner_of_job_;
  const std::vector<TraceJob>& jobs_;
  std::vector<Turn> turns_;
  std::vector<OwnerDemand> demand_;  // by owner
  Guarantees guarantees_;
  Sums second_half_;
  std::vector<Sums> bins_;
  std::vector<AccountFigures> totals_;  // by owner
  Fairness out_;
};

Sweep::Sweep(const Accounts& accounts, const std::vector<OwnerAt>& owners,
             const std::vector<TraceJob>& jobs, const Simulated& simulated)
    : owners_(accounts.all()),
      owner_of_job_(owners),
      jobs_(jobs),
      turns_(turns_in(simulated)),
      demand_(owners_.size()),
      guarantees_(accounts),
      second_half_(owners_.size()),
      bins_(fairness_bins, Sums(owners_.size())),
      totals_(owners_.size()) {
  if (turns_.empty()) return;
  out_.begin = turns_.front().at;
  out_.end = turns_.back().at;
  out_.to = jobs_.back().submit;
  out_.from = out_.begin + (out_.to - out_.begin) / 2;
  for (std::size_t i = 0; i < jobs_.size(); ++i)
    for (OwnerAt at = owner_of_job_[i]; at >= 0; at = owners_[static_cast<std::size_t>(at)].parent)
      if (simulated.jobs[i].possible) {
        AccountFigures& total = totals_[static_cast<std::size_t>(at)];
        ++total.jobs;
        total.worst_wait_s = std::max(
            total.worst_wait_s, static_cast<double>(simulated.jobs[i].waited.count()) / 1'000);
      }
}

void Sweep::turn(const Turn& turn) {
  const auto job = static_cast<std::size_t>(turn.stay->job);
  const double sign = turn.begins ? 1 : -1;
  const double billing = billing_of(jobs_[job]);
  for (OwnerAt at = owner_of_job_[job]; at >= 0;
       at = owners_[static_cast<std::size_t>(at)].parent) {
    OwnerDemand& demand = demand_[static_cast<std::size_t>(at)];
    demand.total += sign * billing;
    if (turn.stay->on_nodes) {
      demand.held += sign * billing;
    } else {
      demand.jobs_waiting += turn.begins ? 1 : -1;
    }
    if (demand.jobs_waiting == 0 && std::abs(demand.held) < 1e-6) demand = {};
  }
  guarantees_.change(owner_of_job_[job], jobs_[job], turn.stay->on_nodes, turn.begins);
  if (!turn.begins) add_stay(*turn.stay);
}

void Sweep::add_stay(const Stay& stay) {
  const auto job = static_cast<std::size_t>(stay.job);
  const TraceJob& trace_job = jobs_[job];
  if (!stay.on_nodes) return;
  const double on_nodes = hours(stay.to - stay.from);
  const auto nodes = static_cast<double>(std::max<std::int64_t>(trace_job.nodes, 1));
  for (OwnerAt at = owner_of_job_[job]; at >= 0;
       at = owners_[static_cast<std::size_t>(at)].parent) {
    AccountFigures& total = totals_[static_cast<std::size_t>(at)];
    total.gpu_hours +=
        on_nodes * nodes * static_cast<double>(trace_job.gpus * trace_job.gpu_milli) / 1'000;
    total.cpu_hours +=
        on_nodes * static_cast<double>(trace_job.tasks * trace_job.cpu_milli_per_task) / 1'000;
  }
}

void Sweep::pass_time(Milliseconds from, Milliseconds to) {
  const std::vector<double> entitled = entitled_to(owners_, demand_);
  const Milliseconds whole = std::max(out_.end - out_.begin, Milliseconds{1});
  second_half_.add(demand_, entitled,
                   std::max(std::min(to, out_.to) - std::max(from, out_.from), Milliseconds{0}));
  constexpr auto bins = static_cast<std::int64_t>(fairness_bins);
  while (from < to) {
    const std::int64_t bin = std::min((from - out_.begin) * bins / whole, bins - 1);
    // The first millisecond of the next bin, counted from `out_.begin`, so it is rounded up.
    const Milliseconds next{((bin + 1) * whole.count() + bins - 1) / bins};
    const Milliseconds until = bin == bins - 1 ? to : std::min(to, out_.begin + next);
    bins_[static_cast<std::size_t>(bin)].add(demand_, entitled, until - from);
    from = until;
  }
}

AccountFigures Sweep::figures_of(std::size_t owner) const {
  AccountFigures figures = totals_[owner];
  figures.name = owners_[owner].name;
  figures.parent = owners_[static_cast<std::size_t>(owners_[owner].parent)].name;
  figures.shares = owners_[owner].shares;
  figures.entitled_part = part(second_half_.entitled[owner], second_half_.all_used);
  figures.used_part = part(second_half_.used[owner], second_half_.all_used);
  figures.waiting_part = part(second_half_.waiting[owner], second_half_.time);
  figures.short_of_guarantee_s = guarantees_.longest_short_s(static_cast<OwnerAt>(owner));
  for (const Sums& bin : bins_) {
    figures.used_by_bin.push_back(part(bin.used[owner], bin.all_used));
    figures.entitled_by_bin.push_back(part(bin.entitled[owner], bin.all_used));
  }
  return figures;
}

Fairness Sweep::run() && {
  for (std::size_t i = 0; i < turns_.size(); ++i) {
    turn(turns_[i]);
    if (i + 1 == turns_.size() || turns_[i + 1].at == turns_[i].at) continue;
    guarantees_.look(turns_[i].at);
    pass_time(turns_[i].at, turns_[i + 1].at);
  }
  guarantees_.look(out_.end);
  std::int64_t waited = 0;
  double most = 0;
  for (std::size_t i = 1; i < owners_.size(); ++i) {
    if (owners_[i].is_user || totals_[i].jobs == 0) continue;
    out_.accounts.push_back(figures_of(i));
    const AccountFigures& figures = out_.accounts.back();
    if (!figures.always_waited()) continue;
    ++waited;
    most = std::max(most, std::abs(figures.deviation()));
  }
  if (waited > 1) out_.deviation_max = most;
  return std::move(out_);
}

}  // namespace

Fairness fairness_of(const Accounts& accounts, const std::vector<OwnerAt>& owners,
                     const std::vector<TraceJob>& jobs, const Simulated& simulated) {
  return Sweep(accounts, owners, jobs, simulated).run();
}

}  // namespace cox::simulate
