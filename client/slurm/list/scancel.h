// scancel: what its command line and SCANCEL_... ask for, which jobs and steps that are, what the
// controller is asked, and what is said. Pure; client/io/cancel carries it out.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "client/slurm/list/squeue_request.h"
#include "common/messages/messages.h"

namespace cox {

struct ScancelRequest {
  SqueueRequest meant;        // its ids and filters, its clusters, how verbose it is
  std::string wckey;          // empty: any
  std::int32_t signal = 0;    // 0: their end
  bool batch_script = false;  // to the batch script alone
  bool full = false;          // to it, its children and the steps
  bool cron = false;          // may also end jobs of crontabs, with their lines
  bool quiet = false;
  bool interactive = false;  // each job is asked about
};

std::variant<ScancelRequest, Shown> read_scancel_request(const std::vector<std::string>& words,
                                                         const Surroundings& around);
std::span<const WordOption> scancel_options();

// Jobs, and of each a step, or -1.
struct JobsMeant {
  std::vector<JobId> ids;
  std::vector<std::string> tasks;
  std::vector<std::int32_t> steps;
};

// The ids, where nothing else says which jobs are meant; else they are looked up in a list.
bool looks_first(const ScancelRequest& request);
JobsMeant jobs_named(const ScancelRequest& request);
ListJobs ask_scancel(const ScancelRequest& request);
// Ids of which the list has nothing that has not ended.
Shown refuse_unknown(const ScancelRequest& request, const std::vector<JobView>& listed);
std::vector<JobView> jobs_meant(const ScancelRequest& request, std::vector<JobView> jobs);
// Of such a row: -1 alone where the job is meant.
std::set<std::int32_t> steps_meant(const ScancelRequest& request, const Job& job);
// The row and no more: an array's id means all of it.
void add_row(JobsMeant& meant, const Job& job, std::int32_t step);
std::string cancel_prompt(const JobView& view, std::int32_t step);  // of --interactive

using CancelQuestion = std::variant<ActOnJobs, SignalJobs>;
std::vector<CancelQuestion> cancel_questions(const ScancelRequest& request, const JobsMeant& meant);

// Returns whether the request reached only jobs that do not run yet. The same request may then be
// repeated.
bool may_repeat(const ScancelRequest& request, const std::vector<Acted::Outcome>& outcomes);

// Returns what --verbose prints if no job matches the filters. Empty: --verbose or filters are
// absent.
std::string no_match_text(const ScancelRequest& request);
// Returns what --verbose prints before jobs are cancelled.
std::string told_cancel(const ScancelRequest& request, const JobsMeant& meant);
// Says nothing when all went well: callers take any output for a warning.
Shown show_scancel(const ScancelRequest& request, const std::vector<Acted::Outcome>& outcomes);

}  // namespace cox
