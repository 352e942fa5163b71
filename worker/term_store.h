// What a worker remembers over restarts beside its supervisors: the highest term it has obeyed. A
// command of a lower term comes from a controller that leads no more.
#pragma once

#include "common/ids.h"

namespace cox {

class TermStore {
 public:
  virtual ~TermStore() = default;
  virtual Term load() = 0;
  virtual void keep(Term term) = 0;  // durable when it returns
};

}  // namespace cox
