#include "simulate/run/replay.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/base/hostlist.h"
#include "common/base/moment_text.h"
#include "common/base/text.h"
#include "schedule/explain/explain_text.h"

namespace cox::simulate {
namespace {

using Json = nlohmann::ordered_json;
using schedule::count_of;
using schedule::PendingExplanation;
using schedule::Preemption;
using schedule::Start;

constexpr std::size_t jobs_explained_max = 100;  // as many as the controller explains

// Returns "17_4 (id 31)" for an array task, otherwise "31". The option --job takes the id.
std::string job_title(const Replayed& replayed, JobId id) {
  const std::string number = std::to_string(id.value);
  const std::string name = schedule::id_text(id, schedule::titles_in(replayed.input));
  return printable(name) + (name == number ? "" : " (id " + number + ")");
}

std::vector<std::string> nodes_of(const Placement& placement) {
  std::vector<std::string> nodes;
  for (const NodeGrant& grant : placement) nodes.push_back(grant.node);
  return nodes;
}

std::string list_text(const std::vector<std::string>& nodes) {
  const bool plain = std::ranges::all_of(nodes, [](const auto& n) { return is_host_name(n); });
  return printable(plain ? compress_hostlist(nodes) : joined(nodes, ","));
}

std::string expected_text(const Replayed& replayed, const PendingExplanation& waiting) {
  if (!waiting.expected_start) return "";
  const Milliseconds until = *waiting.expected_start - replayed.input.now.boot;
  std::string text = "Start expected at " + moment_text(replayed.input.now.wall + until) + ", in " +
                     schedule::duration_text(until);
  if (!waiting.nodes.empty()) text += " on " + list_text(waiting.nodes);
  return text + ".\n";
}

std::string start_text(const Replayed& replayed, const Start& start) {
  return "Job " + job_title(replayed, start.job) + " starts on " +
         list_text(nodes_of(start.placement)) + ".\n";
}

std::string waiting_text(const Replayed& replayed, const PendingExplanation& waiting) {
  std::string text = "Job " + job_title(replayed, waiting.job) +
                     " waits. Reason: " + std::string(name(waiting.reason)) + "\n";
  if (!waiting.detail.empty()) text += printable(waiting.detail) + "\n";
  for (std::size_t i = 0; i < waiting.lines.size(); ++i)
    text += "  " + std::to_string(i + 1) + ". " + printable(waiting.lines[i]) + "\n";
  return text + expected_text(replayed, waiting);
}

std::string summary_text(const Replayed& replayed) {
  const schedule::SchedulerInput& world = replayed.input.world;
  return count_of(std::ssize(world.nodes), "node") + ", " +
         count_of(std::ssize(world.running), "job") + " running, " +
         count_of(std::ssize(world.pending), "job") +
         " waiting: " + std::to_string(replayed.plan.starts.size()) + " would start, " +
         std::to_string(replayed.plan.preemptions.size()) + " would be preempted\n";
}

std::string plan_text(const Replayed& replayed) {
  std::string text = summary_text(replayed);
  for (const Start& start : replayed.plan.starts) text += start_text(replayed, start);
  for (const JobId id : replayed.plan.resumes)
    text += "Job " + job_title(replayed, id) + " resumes: its CPUs are free again.\n";
  for (const Preemption& p : replayed.plan.preemptions)
    text += "Job " + job_title(replayed, p.victim) +
            (p.suspends ? " is suspended for job " : " is preempted for job ") +
            job_title(replayed, p.preemptor) +
            (p.continues_on_nodes ? ", and continues on " + count_of(*p.continues_on_nodes, "node")
                                  : "") +
            ".\n";
  std::size_t shown = 0;
  for (const PendingExplanation& waiting : replayed.plan.waiting) {
    if (shown++ == jobs_explained_max) break;
    text += "Job " + job_title(replayed, waiting.job) +
            " waits: " + std::string(name(waiting.reason)) +
            (waiting.detail.empty() ? "" : ": " + printable(waiting.detail)) + "\n";
  }
  if (shown > jobs_explained_max) text += "and others; see one with --job\n";
  return text;
}

Json json_of_waiting(const Replayed& replayed, const PendingExplanation& waiting) {
  Json json{{"job", waiting.job.value},  {"reason", name(waiting.reason)},
            {"detail", waiting.detail},  {"lines", waiting.lines},
            {"expected_in_ms", nullptr}, {"nodes", waiting.nodes}};
  if (waiting.expected_start)
    json["expected_in_ms"] = (*waiting.expected_start - replayed.input.now.boot).count();
  return json;
}

}  // namespace

Result<Replayed> replay(const std::string& text, std::optional<JobId> job) {
  auto input = schedule::input_from(text);
  if (!input) return input.refusal();
  const auto waits = [&](const schedule::PendingJob& one) { return one.id == *job; };
  const auto stands = [&](const schedule::RunningJob& one) {
    return one.id == *job && one.suspended;
  };
  if (job && std::ranges::none_of(input->world.pending, waits) &&
      std::ranges::none_of(input->world.running, stands))
    return Refusal{"job " + std::to_string(job->value) + " is not pending in this snapshot",
                   "without --job all pending jobs are shown"};
  Replayed replayed{std::move(input).value(), {}, job};
  const auto scheduler = schedule::scheduler_from(replayed.input);
  replayed.plan = scheduler->plan(
      replayed.input.now,
      schedule::ExplainDepth::first(jobs_explained_max, job, schedule::titles_in(replayed.input)));
  return replayed;
}

std::string text_of(const Replayed& replayed) {
  if (!replayed.job) return plan_text(replayed);
  for (const Start& start : replayed.plan.starts)
    if (start.job == *replayed.job) return start_text(replayed, start);
  for (const PendingExplanation& waiting : replayed.plan.waiting)
    if (waiting.job == *replayed.job) return waiting_text(replayed, waiting);
  return "";
}

std::string json_of(const Replayed& replayed) {
  const auto is_shown = [&](JobId id) { return !replayed.job || id == *replayed.job; };
  Json json{{"starts", Json::array()},
            {"resumes", Json::array()},
            {"preemptions", Json::array()},
            {"waiting", Json::array()}};
  for (const JobId id : replayed.plan.resumes)
    if (is_shown(id)) json["resumes"].push_back(id.value);
  for (const Start& start : replayed.plan.starts)
    if (is_shown(start.job))
      json["starts"].push_back({{"job", start.job.value}, {"nodes", nodes_of(start.placement)}});
  for (const Preemption& p : replayed.plan.preemptions)
    if (is_shown(p.preemptor) || is_shown(p.victim))
      json["preemptions"].push_back({{"victim", p.victim.value},
                                     {"preemptor", p.preemptor.value},
                                     {"loss_unit_seconds", p.loss_unit_seconds},
                                     {"restart_unit_seconds", p.restart_unit_seconds},
                                     {"suspends", p.suspends},
                                     {"goes_on_with", p.continues_on_nodes.value_or(0)}});
  for (const PendingExplanation& waiting : replayed.plan.waiting)
    if (is_shown(waiting.job)) json["waiting"].push_back(json_of_waiting(replayed, waiting));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cox::simulate
