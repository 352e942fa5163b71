// What a worker remembers over restarts beside its supervisors: the highest term it has obeyed, and
// the highest id of any job that it prepared. A command of a lower term comes from a controller
// that leads no more. The id is for a controller whose database was restored from a backup.
#pragma once

#include "common/base/ids.h"
#include "common/base/result.h"

namespace cox {

class TermStore {
 public:
  virtual ~TermStore() = default;
  virtual Term load() = 0;
  // Durable when it returns. Failure: it is not kept, and must not be obeyed.
  virtual Failure keep(Term term) = 0;

  virtual JobId newest_job() = 0;
  // Outlives the worker; where it cannot be kept, nothing is lost but this knowledge.
  virtual void note_newest_job(JobId job) = 0;
};

}  // namespace cox
