// Who gives way to a job, what becomes of them, and what they lose.
#include <algorithm>

#include "schedule/explain/explain_context.h"
#include "schedule/explain/explain_text.h"
#include "schedule/place/place.h"

namespace cox::schedule {
namespace {

// To another place of the same size.
bool all_move(const ExplainContext& told, const Decision& decision) {
  return std::ranges::all_of(decision.victims, [&](JobId victim) {
    const auto move = std::ranges::find(decision.moves, victim, &Move::job);
    return move != decision.moves.end() &&
           move->home.size() == told.pass.running().at(victim).shares->size();
  });
}

std::string shrunk_text(const ExplainContext& told, const Decision& decision) {
  std::string text;
  for (const Move& move : decision.moves)
    text += "; " + job_text(move.job, told.title_of) + " goes on with " +
            count_of(std::ssize(move.home.parts), "node");
  return text;
}

// Of victims that do not all end the same way, what becomes of some.
std::string ended_text(const ExplainContext& told, const Decision& decision) {
  std::vector<JobId> ended;
  std::vector<JobId> suspended;
  for (const JobId victim : decision.victims) {
    const RunningJob& job = told.pass.running().at(victim).job;
    if (job.suspends) {
      suspended.push_back(victim);
    } else if (!job.requeued) {
      ended.push_back(victim);
    }
  }
  std::string text;
  if (!ended.empty())
    text += "; " + jobs_text(ended, told.title_of) +
            (ended.size() == 1 ? " ends and is not requeued" : " end and are not requeued");
  if (!suspended.empty())
    text += "; " + jobs_text(suspended, told.title_of) +
            (suspended.size() == 1 ? " is suspended" : " are suspended");
  return text;
}

// What is lost is counted by GPUs; of a job that has none, by CPUs.
std::string lost_unit(const ExplainContext& told, const std::vector<JobId>& victims) {
  const auto has_gpus = [&told](JobId victim) {
    return std::ranges::any_of(told.pass.running().at(victim).job.grants,
                               [](const NodeGrant& grant) { return !grant.gpus.empty(); });
  };
  if (std::ranges::all_of(victims, has_gpus)) return "GPU-seconds";
  if (std::ranges::none_of(victims, has_gpus)) return "CPU-seconds";
  return "GPU-seconds (CPU-seconds of those without GPUs)";
}

std::string loss_text(const ExplainContext& told, const Decision& decision) {
  std::int64_t loss = 0;
  std::int64_t restart = 0;
  bool starts_again = false;
  for (const JobId victim : decision.victims) {
    const RunningJob& job = told.pass.running().at(victim).job;
    loss += loss_unit_ms(job, told.pass.now());
    if (!job.requeued) continue;
    restart += restart_unit_ms(told.pass.settings(), job);
    starts_again = true;
  }
  const std::string text = std::to_string((loss + 500) / 1000) + " " +
                           lost_unit(told, decision.victims) + " since the last checkpoint";
  if (!starts_again) return text;
  return text + " and about " + std::to_string((restart + 500) / 1000) + " to start again";
}

}  // namespace

std::string preempts_text(const ExplainContext& told, const Decision& decision) {
  const std::vector<JobId>& victims = decision.victims;
  const bool one = victims.size() == 1;
  if (std::ranges::all_of(
          victims, [&told](JobId victim) { return told.pass.running().at(victim).job.suspends; }))
    return jobs_text(victims, told.title_of) + (one ? " is" : " are") +
           " suspended, for the CPUs alone; the place on " +
           nodes_text(told.pass.nodes(), decision.shares) + " is kept for it";
  if (all_move(told, decision))
    return jobs_text(victims, told.title_of) +
           (one ? " has saved and moves" : " have saved and move") + " elsewhere; the place on " +
           nodes_text(told.pass.nodes(), decision.shares) + " is kept for it";
  return jobs_text(victims, told.title_of) + (one ? " gives" : " give") + " way, losing " +
         loss_text(told, decision) + ended_text(told, decision) + shrunk_text(told, decision) +
         "; the place on " + nodes_text(told.pass.nodes(), decision.shares) + " is kept for it";
}

std::optional<LaterPreemption> others_give_way(const ExplainContext& told,
                                               const Decision& decision) {
  const bool waits = decision.outcome == Outcome::Reserved || decision.outcome == Outcome::NoRoom;
  const bool is_told = decision.outcome == Outcome::Reserved || told.seeks_start;
  if (!waits || !is_told || decision.others_first) return std::nullopt;
  auto found = told.pass.may_preempt_later(decision);
  if (!found || (decision.expected && *decision.expected <= found->at)) return std::nullopt;
  for (const LaterVictim& before : told.give_way_before)
    for (const JobId victim : before.how.victims)
      if (std::ranges::find(found->victims, victim) != found->victims.end()) return std::nullopt;
  return found;
}

void settle_by_those_before(ExplainContext& told, const Decision& decision) {
  const bool waits = decision.outcome == Outcome::Reserved || decision.outcome == Outcome::NoRoom ||
                     decision.outcome == Outcome::Behind;
  if (!waits) return;
  for (const LaterVictim& before : told.give_way_before) {
    const auto has_room = [&](Boot at, const Room& room) {
      const auto fits_in = [&](const ResolvedRequest* need) {
        return fits(told.pass.need_at(*need->request, at, decision.job.time_limit), room);
      };
      return std::ranges::any_of(needs_told(told, decision), fits_in);
    };
    std::optional<Boot> at;
    if (has_room(before.how.at, before.how.left)) {
      at = before.how.at;
    } else if (before.lasts) {
      Room room = before.how.left;
      room.give_back(before.how.place);
      if (has_room(before.how.at + *before.lasts, room)) at = before.how.at + *before.lasts;
    }
    if (!at || (told.give_way_at && *told.give_way_at <= *at)) continue;
    if (decision.expected && *decision.expected <= *at) continue;
    told.give_way_at = at;
    told.give_way_for = before.job;
  }
}

}  // namespace cox::schedule
