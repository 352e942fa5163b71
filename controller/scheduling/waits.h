// The rows of why jobs wait (JobWait): which are written, and when. Pure but for the Reaction.
#pragma once

#include "controller/ledger/reaction.h"

namespace cox {

// Writes why a job waits that never starts as it is: no pass will ever judge it. Once: what it
// waited for may be forgotten then.
void record_never_starts(Reaction& r, JobId id);
// Likewise when tasks of such a row have become a row of their own, `part`.
void split_wait_in_vain(Reaction& r, JobId row, JobId part);
// Writes the rows of why jobs wait that say something new of what was told last; false: there are
// more than one turn may write.
bool keep_waits(Reaction& r);

}  // namespace cox
