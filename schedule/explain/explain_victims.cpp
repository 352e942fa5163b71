// Explains preemptions: the victims, what happens to them, and what they lose.
#include <algorithm>

#include "schedule/explain/explain_context.h"
#include "schedule/explain/explain_text.h"
#include "schedule/place/place.h"

namespace cox::schedule {
namespace {

// Returns whether all victims move to another place of the same size.
bool all_move(const ExplainContext& context, const Decision& decision) {
  return std::ranges::all_of(decision.victims, [&](JobId victim) {
    const auto move = std::ranges::find(decision.moves, victim, &Move::job);
    return move != decision.moves.end() &&
           move->home.size() == context.facts.running().at(victim).shares->size();
  });
}

std::string shrunk_text(const ExplainContext& context, const Decision& decision) {
  std::string text;
  for (const Move& move : decision.moves)
    text += "; " + job_text(move.job, context.title_of) + " continues on " +
            count_of(std::ssize(move.home.parts), "node");
  return text;
}

// Describes the victims that are suspended, or end without being requeued.
std::string ended_text(const ExplainContext& context, const Decision& decision) {
  std::vector<JobId> ended;
  std::vector<JobId> suspended;
  for (const JobId victim : decision.victims) {
    const RunningJob& job = context.facts.running().at(victim).job;
    if (job.suspends) {
      suspended.push_back(victim);
    } else if (!job.requeued) {
      ended.push_back(victim);
    }
  }
  std::string text;
  if (!ended.empty())
    text += "; " + jobs_text(ended, context.title_of) +
            (ended.size() == 1 ? " ends and is not requeued" : " end and are not requeued");
  if (!suspended.empty())
    text += "; " + jobs_text(suspended, context.title_of) +
            (suspended.size() == 1 ? " is suspended" : " are suspended");
  return text;
}

// Returns the unit of lost work: GPU-seconds; CPU-seconds if no victim has GPUs; both if only some
// have.
std::string lost_unit(const ExplainContext& context, const std::vector<JobId>& victims) {
  const auto has_gpus = [&context](JobId victim) {
    return std::ranges::any_of(context.facts.running().at(victim).job.grants,
                               [](const NodeGrant& grant) { return !grant.gpus.empty(); });
  };
  if (std::ranges::all_of(victims, has_gpus)) return "GPU-seconds";
  if (std::ranges::none_of(victims, has_gpus)) return "CPU-seconds";
  return "GPU-seconds (CPU-seconds for jobs without GPUs)";
}

std::string loss_text(const ExplainContext& context, const Decision& decision) {
  std::int64_t loss = 0;
  std::int64_t restart = 0;
  bool starts_again = false;
  for (const JobId victim : decision.victims) {
    const RunningJob& job = context.facts.running().at(victim).job;
    loss += loss_unit_ms(job, context.facts.now());
    if (!job.requeued) continue;
    restart += restart_unit_ms(context.facts.settings(), job);
    starts_again = true;
  }
  const std::string unit = lost_unit(context, decision.victims);
  const std::string text =
      std::to_string((loss + 500) / 1000) + " " + unit + " since the last checkpoint";
  if (!starts_again) return text;
  return text + " and about " + std::to_string((restart + 500) / 1000) + " " + unit + " to restart";
}

}  // namespace

std::string preempts_text(const ExplainContext& context, const Decision& decision) {
  const std::vector<JobId>& victims = decision.victims;
  const bool one = victims.size() == 1;
  if (std::ranges::all_of(victims, [&context](JobId victim) {
        return context.facts.running().at(victim).job.suspends;
      }))
    return jobs_text(victims, context.title_of) + (one ? " is" : " are") +
           " suspended to free CPUs; the place on " +
           nodes_text(context.facts.nodes(), decision.shares) + " is reserved for it";
  if (all_move(context, decision))
    return jobs_text(victims, context.title_of) +
           (one ? " has saved and moves" : " have saved and move") + " elsewhere; the place on " +
           nodes_text(context.facts.nodes(), decision.shares) + " is reserved for it";
  return jobs_text(victims, context.title_of) + (one ? " is" : " are") + " preempted, losing " +
         loss_text(context, decision) + ended_text(context, decision) +
         shrunk_text(context, decision) + "; the place on " +
         nodes_text(context.facts.nodes(), decision.shares) + " is reserved for it";
}

std::optional<LaterPreemption> later_preemption(const ExplainContext& context,
                                                const Decision& decision) {
  const bool waits = decision.outcome == Outcome::Reserved || decision.outcome == Outcome::NoRoom;
  const bool is_estimated = decision.outcome == Outcome::Reserved || context.seeks_start;
  if (!waits || !is_estimated || decision.others_first) return std::nullopt;
  auto found = context.pass.victims().find_later(decision);
  if (!found || (decision.expected && *decision.expected <= found->at)) return std::nullopt;
  for (const LaterVictim& before : context.earlier_victims)
    for (const JobId victim : before.how.victims)
      if (std::ranges::find(found->victims, victim) != found->victims.end()) return std::nullopt;
  return found;
}

void estimate_by_jobs_before(ExplainContext& context, const Decision& decision) {
  const bool waits = decision.outcome == Outcome::Reserved || decision.outcome == Outcome::NoRoom ||
                     decision.outcome == Outcome::Behind;
  if (!waits) return;
  for (const LaterVictim& before : context.earlier_victims) {
    const auto has_room = [&](Boot at, const Room& room) {
      const auto fits_in = [&](const ResolvedRequest* need) {
        return fits(context.facts.need_at(*need->request, at, decision.job.time_limit), room);
      };
      return std::ranges::any_of(needs_shown(context, decision), fits_in);
    };
    std::optional<Boot> at;
    if (has_room(before.how.at, before.how.left)) {
      at = before.how.at;
    } else if (before.lasts) {
      Room room = before.how.left;
      room.give_back(before.how.place);
      if (has_room(before.how.at + *before.lasts, room)) at = before.how.at + *before.lasts;
    }
    if (!at || (context.preemption_at && *context.preemption_at <= *at)) continue;
    if (decision.expected && *decision.expected <= *at) continue;
    context.preemption_at = at;
    context.preemption_for = before.job;
  }
}

}  // namespace cox::schedule
