// What a worker keeps over restarts: the highest term that it has obeyed, and the highest id of all
// jobs that it has prepared. A command with a lower term comes from a controller that is no longer
// the leader. By the job id a controller detects that its database was restored from an older
// backup.
#pragma once

#include "common/base/ids.h"
#include "common/base/result.h"

namespace cox {

class TermStore {
 public:
  virtual ~TermStore() = default;
  virtual Term load() = 0;
  // Stores the term durably. Failure: the term is not stored, and the worker must not obey the
  // controller.
  virtual Failure keep(Term term) = 0;

  virtual JobId newest_job() = 0;
  // Stores the id so that it survives the worker. Best effort: errors are ignored.
  virtual void note_newest_job(JobId job) = 0;
};

}  // namespace cox
