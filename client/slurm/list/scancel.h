// scancel: parses its command line and the variables SCANCEL_..., selects jobs and steps, builds
// the requests and formats the replies. Pure; client/io/cancel sends the requests.
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
  SqueueRequest filters;      // ids, filters, clusters, verbosity
  std::string wckey;          // empty: any
  std::int32_t signal = 0;    // --signal; 0: cancel the jobs
  bool batch_script = false;  // --batch: signal only the batch script
  bool full = false;          // --full: signal the script, its children and the steps
  bool cron = false;          // --cron: also cancel jobs of crontabs, and disable their lines
  bool quiet = false;
  bool interactive = false;  // --interactive: ask the user about each job
};

std::variant<ScancelRequest, Shown> read_scancel_request(const std::vector<std::string>& words,
                                                         const Surroundings& around);
std::vector<OptionForm> scancel_options();

// The jobs to cancel or signal. ids[i] is a job, tasks[i] its array tasks that are meant (empty:
// all), and steps[i] a step of it, or -1 for the whole job.
struct SelectedJobs {
  std::vector<JobId> ids;
  std::vector<std::string> tasks;
  std::vector<std::int32_t> steps;
};

// Returns whether scancel must list jobs before it cancels any: to apply filters, or to ask the
// user about each.
bool needs_job_list(const ScancelRequest& request);
// Returns the jobs and steps that the command line names by id.
SelectedJobs jobs_named(const ScancelRequest& request);
// Returns the request for the list of jobs that may be meant.
ListJobs ask_scancel(const ScancelRequest& request);
// Returns an error for each id of the command line that is not in `listed`, the jobs that have not
// ended.
Shown refuse_unknown(const ScancelRequest& request, const std::vector<JobView>& listed);
std::vector<JobView> select_jobs(const ScancelRequest& request, std::vector<JobView> jobs);
// Returns the numbers of the job's steps that the command line names; {-1} if it means the whole
// job.
std::set<std::int32_t> selected_steps(const ScancelRequest& request, const Job& job);
// Adds the job, or its step `step`, to `selected`. Of an array, only the tasks of this row are
// meant.
void add_row(SelectedJobs& selected, const Job& job, std::int32_t step);
std::string cancel_prompt(const JobView& view, std::int32_t step);  // for --interactive

using CancelQuestion = std::variant<ActOnJobs, SignalJobs>;
std::vector<CancelQuestion> cancel_questions(const ScancelRequest& request,
                                             const SelectedJobs& selected);

// Returns whether the controller refused to signal every one of the jobs because it does not run
// yet. scancel then repeats the request after a pause.
bool may_repeat(const ScancelRequest& request, const std::vector<Acted::Outcome>& outcomes);

// Returns what --verbose prints if no job matches the filters. Empty without --verbose or without
// filters.
std::string no_match_text(const ScancelRequest& request);
// Returns what --verbose prints before jobs are cancelled.
std::string cancel_text(const ScancelRequest& request, const SelectedJobs& selected);
// Prints the refusals. Prints nothing on success: tools that run scancel take output for a warning.
Shown show_scancel(const ScancelRequest& request, const std::vector<Acted::Outcome>& outcomes);

}  // namespace cox
