// Commands that a job's processes run in the handler of its signal must finish what they have
// begun.
#pragma once

#include <signal.h>

#include <cstdlib>

namespace cox {

// Blocks every signal that a job may choose, and SIGTERM, which goes to all processes of a job that
// is to end. SIGKILL follows, so this delays no end.
inline void block_job_signals() {
  sigset_t blocked;
  ::sigfillset(&blocked);
  for (const int kept : {SIGQUIT, SIGTSTP, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    ::sigdelset(&blocked, kept);
  ::sigprocmask(SIG_BLOCK, &blocked, nullptr);
}

// A job that requeues itself gets SIGTERM for that, before the command has its answer.
inline void block_job_signals_of_requeue(bool requeues) {
  if (requeues && std::getenv("SLURM_JOB_ID") != nullptr) block_job_signals();
}

}  // namespace cox
