#include "schedule/explain.h"

#include <algorithm>
#include <utility>

#include "schedule/place.h"
#include "schedule/words.h"

namespace cox::schedule {
namespace {

constexpr std::size_t holders_shown_max = 4;  // in the one line
constexpr std::size_t nodes_told_max = 8;     // one line each
constexpr std::size_t refusers_told_max = 8;  // jobs that do not give way, one line each

struct Holder {
  JobId job;
  Share share;
};

// What the explanations of one pass have in common.
struct Told {
  Pass& pass;
  std::vector<std::vector<Holder>> holders;  // by node: running, and starting now
  std::vector<JobId> before;                 // waiting jobs judged so far
};

std::vector<std::vector<Holder>> holders_by_node(const Pass& pass,
                                                 const std::vector<Verdict>& verdicts) {
  std::vector<std::vector<Holder>> holders(static_cast<std::size_t>(pass.nodes().size()));
  const auto add = [&holders](JobId job, const Shares& shares) {
    for (const Share& share : shares)
      holders[static_cast<std::size_t>(share.node)].push_back({job, share});
  };
  for (const auto& [id, running] : pass.running()) add(id, *running.shares);
  for (const Verdict& verdict : verdicts)
    if (verdict.outcome == Outcome::Starts) add(verdict.job.id, verdict.shares);
  return holders;
}

const std::vector<Holder>& holders_on(const Told& told, NodeAt at) {
  return told.holders[static_cast<std::size_t>(at)];
}

bool has_room(const Need& need, const Room& room, NodeAt at) {
  return tasks_that_fit(need, room, at) >= std::max<std::int64_t>(need.tasks / need.nodes, 1);
}

std::int64_t nodes_with_room(const Need& need, const Room& room) {
  return std::ranges::count_if(need.usable, [&](NodeAt at) { return has_room(need, room, at); });
}

// "n1 by job 17 (4 of 4 CPUs)", for the nodes that would do and have no room.
std::vector<std::string> busy_texts(const Told& told, const Need& need, std::size_t count_max) {
  std::vector<std::string> texts;
  for (const NodeAt at : need.usable) {
    if (has_room(need, told.pass.unclaimed(), at)) continue;
    if (texts.size() == count_max) {
      texts.push_back("...");
      break;
    }
    std::vector<std::string> by;
    const NodeFacts& facts = told.pass.nodes()[at];
    for (const Holder& holder : holders_on(told, at))
      if (by.size() < holders_shown_max)
        by.push_back("job " + std::to_string(holder.job.value) + " (" +
                     part_text(need, facts, holder.share.cpus, holder.share.gpus) + ")");
    texts.push_back(facts.node->name + " by " + joined(by, ", "));
  }
  return texts;
}

std::string expected_text(const Told& told, const std::optional<Boot>& expected) {
  if (!expected) return "";
  return "expected in " + duration_text(*expected - told.pass.now());
}

std::string room_text(const Told& told, const Verdict& verdict) {
  const Need& need = *verdict.need;
  const auto would_do = static_cast<std::int64_t>(need.usable.size());
  std::string text = "needs " + request_text(need) + ": " + count_of(would_do, "node") +
                     " would do, " + std::to_string(nodes_with_room(need, told.pass.unclaimed())) +
                     " with room now";
  const auto busy = busy_texts(told, need, holders_shown_max);
  if (!busy.empty()) text += " (busy: " + joined(busy, ", ") + ")";
  if (verdict.outcome != Outcome::Reserved) return text;
  return text + "; " +
         (verdict.expected ? expected_text(told, verdict.expected) + " by time limits"
                           : "when is not known: jobs there have no time limit");
}

std::string promised_text(const Told& told, const Verdict& verdict) {
  std::vector<JobId> stopping;
  for (const auto& [id, running] : told.pass.running()) {
    const auto holds = [&shares = *running.shares](const Share& share) {
      return std::ranges::binary_search(shares, share.node, {}, &Share::node);
    };
    if (told.pass.is_stopping(running) && std::ranges::any_of(verdict.shares, holds))
      stopping.push_back(id);
  }
  std::string text = "keeps its place on " + nodes_text(told.pass.nodes(), verdict.shares) +
                     "; starts when " + jobs_text(stopping) +
                     (stopping.size() == 1 ? " has" : " have") + " stopped there";
  if (verdict.expected) text += ", " + expected_text(told, verdict.expected) + " at the latest";
  return text;
}

std::string preempts_text(const Told& told, const Verdict& verdict) {
  const std::vector<JobId>& victims = verdict.victims;
  std::int64_t loss = 0;
  std::int64_t restart = 0;
  for (const JobId victim : victims) {
    const RunningJob& job = told.pass.running().at(victim).job;
    loss += loss_unit_ms(job, told.pass.now());
    restart += restart_unit_ms(told.pass.settings(), job);
  }
  const bool one = victims.size() == 1;
  if (!verdict.moves.empty())
    return jobs_text(victims) + (one ? " has saved and moves" : " have saved and move") +
           " elsewhere; the place on " + nodes_text(told.pass.nodes(), verdict.shares) +
           " is kept for it";
  return jobs_text(victims) + (one ? " gives" : " give") + " way, losing " +
         std::to_string((loss + 500) / 1000) + (verdict.need->gpus > 0 ? " GPU" : " unit") +
         "-seconds since the last checkpoint and about " + std::to_string((restart + 500) / 1000) +
         " to start again; the place on " + nodes_text(told.pass.nodes(), verdict.shares) +
         " is kept for it";
}

std::string behind_text(const Told& told, const Verdict& verdict) {
  std::string text = "there is room for " + request_text(*verdict.need) +
                     ", but it is kept for others before it: " + jobs_text(told.before);
  if (verdict.expected) return text + "; " + expected_text(told, verdict.expected);
  if (told.pass.reservations() == nullptr || verdict.outcome == Outcome::Reserved) return text;
  const auto& reserved = told.pass.reservations()->all();
  if (reserved.empty() || !reserved.front().at) return text;
  text += "; job " + std::to_string(reserved.front().job.value) + " is " +
          expected_text(told, reserved.front().at);
  const std::int64_t left_ms = (*reserved.front().at - told.pass.now()).count();
  if (left_ms >= 60'000 && fits(*verdict.need, told.pass.free()))
    text +=
        "; a time limit of at most " + std::to_string(left_ms / 60'000) + " min would let it pass";
  return text;
}

std::string unavailable_text(const Told& told, const Verdict& verdict) {
  const Nodes& nodes = told.pass.nodes();
  if (nodes.size() == 0) return "the cluster has no nodes yet";
  const std::string& gone = verdict.job.request->partition_gone;
  if (!gone.empty()) return "partition " + gone + " is no longer configured";
  Matcher& matcher = told.pass.matcher();
  const Need& wish = matcher.need(*verdict.job.request, Availability::Ignored);
  if (!fits(wish, matcher.idle()))
    return "needs " + request_text(wish) + ", more than the nodes that are known can give";
  std::vector<std::string> missing;
  for (const NodeAt at : wish.required.empty() ? wish.usable : wish.required) {
    const WorldNode& node = *nodes[at].node;
    if (node.available) continue;
    if (missing.size() == holders_shown_max) {
      missing.push_back("...");
      break;
    }
    missing.push_back(node.name + " (" + node.unavailable_why + ")");
  }
  return "needs " + request_text(wish) + ": of " +
         count_of(static_cast<std::int64_t>(wish.usable.size()), "node") + " that would do, " +
         std::to_string(verdict.need->usable.size()) +
         " can be used now; unavailable: " + joined(missing, ", ");
}

std::string stages_text(const Told& told, const Verdict& verdict) {
  const Request& request = *verdict.job.request;
  Matcher& matcher = told.pass.matcher();
  std::string text = count_of(told.pass.nodes().size(), "node") + " in the cluster";
  if (!request.partition_nodes.empty())
    text += ", " + std::to_string(request.partition_nodes.size()) + " in its partition";
  if (!request.constraint.empty())
    text += ", " + std::to_string(matcher.matching(request).size()) + " with feature " +
            request.constraint;
  const Need& wish = matcher.need(request, Availability::Ignored);
  text += ", " + std::to_string(wish.usable.size()) + " large enough, " +
          std::to_string(verdict.need->usable.size()) + " of these available, " +
          std::to_string(nodes_with_room(*verdict.need, told.pass.unclaimed())) +
          " with room now, " + std::to_string(nodes_with_room(*verdict.need, told.pass.free())) +
          " not promised to others";
  return text;
}

std::string spared_text(const Told& told, const RunningJob& job, const Spared& sparing) {
  const Settings& settings = told.pass.settings();
  const std::string left = duration_text(sparing.until - told.pass.now());
  if (sparing.why == Sparing::HasJustBegun)
    return " gives way in " + left + " at the earliest: it has run for " +
           duration_text(told.pass.now() - job.began) + " of at least " +
           duration_text(sparing.until - job.began);
  return " was preempted " + count_of(settings.preempt_budget, "time") + " within " +
         duration_text(settings.preempt_budget_window) + ", as often as may be; it gives way in " +
         left + " at the earliest";
}

std::string why_it_stays(const Told& told, std::int32_t tier, const Running& running) {
  const RunningJob& job = running.job;
  const std::string id = "job " + std::to_string(job.id.value);
  if (told.pass.is_stopping(running)) return id + " is stopping already";
  if (job.tier == tier)
    return id + " has the same tier " + std::to_string(job.tier) + "; only lower tiers give way";
  if (job.tier > tier)
    return id + " has the higher tier " + std::to_string(job.tier) + " and does not give way";
  if (!job.preemptable) return id + " may not be preempted";
  if (const auto sparing = spared(told.pass.settings(), job, told.pass.now()))
    return id + spared_text(told, job, *sparing);
  return id + " could be preempted, but not enough others with it to make room for the whole gang";
}

std::vector<std::string> stay_lines(const Told& told, const Verdict& verdict) {
  const Need& need = *verdict.need;
  std::vector<std::string> lines;
  if (!verdict.job.may_preempt) return {"it may not preempt others"};
  for (const auto& [id, running] : told.pass.running()) {
    if (lines.size() == refusers_told_max) break;
    const bool matters = std::ranges::any_of(*running.shares, [&](const Share& share) {
      return std::ranges::binary_search(need.usable, share.node) &&
             !has_room(need, told.pass.unclaimed(), share.node);
    });
    if (matters) lines.push_back(why_it_stays(told, verdict.job.tier, running));
  }
  return lines;
}

// Fewer nodes that would fit at once.
std::optional<std::string> smaller_change(const Told& told, const Need& need) {
  const std::int64_t with_room = nodes_with_room(need, told.pass.free());
  if (with_room == 0 || with_room >= need.nodes || !need.required.empty()) return std::nullopt;
  Need smaller = need;
  smaller.nodes = with_room;
  smaller.tasks = need.tasks / need.nodes * with_room;
  if (!fits(smaller, told.pass.free())) return std::nullopt;
  return count_of(with_room, "node") + (with_room == 1 ? " has" : " have") + " room now: -N" +
         std::to_string(with_room) + " -n" + std::to_string(smaller.tasks) + " would fit";
}

std::vector<std::string> all_lines(const Told& told, const Verdict& verdict) {
  const Need& need = *verdict.need;
  std::vector<std::string> lines{"asks for " + request_text(need), stages_text(told, verdict)};
  if (!told.before.empty())
    lines.push_back(count_of(std::ssize(told.before), "waiting job") +
                    " before it: " + jobs_text(told.before));
  if (verdict.outcome == Outcome::Promised || verdict.outcome == Outcome::Preempts) return lines;
  for (std::string& busy : busy_texts(told, need, nodes_told_max))
    lines.push_back("busy: " + std::move(busy));
  if (verdict.others_first || verdict.outcome == Outcome::Unavailable) return lines;
  std::ranges::move(stay_lines(told, verdict), std::back_inserter(lines));
  if (auto change = smaller_change(told, need)) lines.push_back(std::move(*change));
  return lines;
}

std::pair<WaitReason, std::string> reason_of(const Told& told, const Verdict& verdict) {
  const std::string id = std::to_string(verdict.job.id.value);
  switch (verdict.outcome) {
    case Outcome::Starts: break;
    case Outcome::Promised: return {WaitReason::Resources, promised_text(told, verdict)};
    case Outcome::Preempts: return {WaitReason::Resources, preempts_text(told, verdict)};
    case Outcome::Reserved:
      if (verdict.others_first) return {WaitReason::Priority, behind_text(told, verdict)};
      return {WaitReason::Resources, room_text(told, verdict)};
    case Outcome::NoRoom: return {WaitReason::Resources, room_text(told, verdict)};
    case Outcome::Behind: return {WaitReason::Priority, behind_text(told, verdict)};
    case Outcome::Unavailable:
      return {WaitReason::ReqNodeNotAvail, unavailable_text(told, verdict)};
    case Outcome::Held: return {WaitReason::JobHeldUser, "held; `cox release " + id + "` frees it"};
  }
  return {WaitReason::None, ""};
}

Waiting waiting_for(const Told& told, const Verdict& verdict) {
  Waiting waiting;
  waiting.job = verdict.job.id;
  std::tie(waiting.reason, waiting.detail) = reason_of(told, verdict);
  waiting.expected_start = verdict.expected;
  if (verdict.outcome != Outcome::Held) waiting.lines = all_lines(told, verdict);
  return waiting;
}

Waiting reason_alone(const Verdict& verdict) {
  Waiting waiting;
  waiting.job = verdict.job.id;
  waiting.expected_start = verdict.expected;
  switch (verdict.outcome) {
    case Outcome::Starts: break;
    case Outcome::Behind: waiting.reason = WaitReason::Priority; break;
    case Outcome::Unavailable: waiting.reason = WaitReason::ReqNodeNotAvail; break;
    case Outcome::Held: waiting.reason = WaitReason::JobHeldUser; break;
    case Outcome::Reserved:
      waiting.reason = verdict.others_first ? WaitReason::Priority : WaitReason::Resources;
      break;
    case Outcome::Promised:
    case Outcome::Preempts:
    case Outcome::NoRoom: waiting.reason = WaitReason::Resources; break;
  }
  return waiting;
}

}  // namespace

std::vector<Waiting> explain(Pass& pass, const std::vector<Verdict>& verdicts,
                             const Telling& telling) {
  Told told{pass, holders_by_node(pass, verdicts), {}};
  std::vector<Waiting> waiting;
  for (const Verdict& verdict : verdicts) {
    if (verdict.outcome == Outcome::Starts) continue;
    const bool all = waiting.size() < telling.jobs || verdict.job.id == telling.also;
    waiting.push_back(all ? waiting_for(told, verdict) : reason_alone(verdict));
    if (verdict.outcome != Outcome::Held && verdict.outcome != Outcome::Unavailable)
      told.before.push_back(verdict.job.id);
  }
  return waiting;
}

}  // namespace cox::schedule
