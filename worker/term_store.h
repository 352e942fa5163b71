// What a worker remembers over restarts beside its supervisors: the highest term it has obeyed. A
// command of a lower term comes from a controller that leads no more.
#pragma once

#include "common/ids.h"
#include "common/result.h"

namespace cox {

class TermStore {
 public:
  virtual ~TermStore() = default;
  virtual Term load() = 0;
  // Durable when it returns. Failure: it is not kept, and must not be obeyed.
  virtual Failure keep(Term term) = 0;
};

}  // namespace cox
