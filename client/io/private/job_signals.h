// A job may run cox commands in its signal handler. These commands block the job's signals, so that
// they finish the request that they have begun.
#pragma once

#include <signal.h>

#include <cstdlib>

namespace cox {

// Blocks all signals that a job may choose, and SIGTERM, which all processes of a job get when it
// is stopped. The end of the job is not delayed, because SIGKILL follows.
inline void block_job_signals() {
  sigset_t blocked;
  ::sigfillset(&blocked);
  for (const int kept : {SIGQUIT, SIGTSTP, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    ::sigdelset(&blocked, kept);
  ::sigprocmask(SIG_BLOCK, &blocked, nullptr);
}

// Blocks the job's signals if the command requeues jobs. A job that requeues itself gets SIGTERM
// before the command has its reply.
inline void block_job_signals_of_requeue(bool requeues) {
  if (requeues && std::getenv("SLURM_JOB_ID") != nullptr) block_job_signals();
}

}  // namespace cox
