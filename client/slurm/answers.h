// The questions and answers behind the names in names.h.
#pragma once

#include "client/command.h"

namespace cox {

Question ask_squeue(const Options& options);
Shown show_squeue(const Answer& answer, const Options& options, const Screen& screen);

Shown show_squeue_steps(const StepList& list, const Options& options);

// Jobs, and of each a step, or -1.
struct JobsMeant {
  std::vector<JobId> ids;
  std::vector<std::string> tasks;
  std::vector<std::int32_t> steps;
};

bool names_jobs_by_filter(const Options& options);
Question ask_scancel(const Options& options);  // a list of those meant by a filter
std::vector<Question> cancel_questions(const Options& options, const JobsMeant& meant);
Shown show_scancel(const Answer& answer, const Options& options, const Screen& screen);

Question ask_sinfo(const Options& options);
Shown show_sinfo(const Answer& answer, const Options& options, const Screen& screen);

// A list for `show`, else what is to be done.
Question ask_sacctmgr(const Options& options);
Shown show_sacctmgr(const Answer& answer, const Options& options, const Screen& screen);

Question ask_sprio(const Options& options);
Shown show_sprio(const Answer& answer, const Options& options, const Screen& screen);

Question ask_sshare(const Options& options);
Shown show_sshare(const Answer& answer, const Options& options, const Screen& screen);

Question ask_sdiag(const Options& options);
Shown show_sdiag(const Answer& answer, const Options& options, const Screen& screen);

}  // namespace cox
