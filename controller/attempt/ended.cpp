#include "controller/attempt/ended.h"

#include "controller/admit/cron.h"
#include "controller/ledger/checkpoints.h"

namespace cox {

void end_job(Reaction& r, JobId id, Trigger trigger, std::string why, std::string actor,
             const std::function<void(Job&)>& edit) {
  r.end(id, trigger, std::move(why), std::move(actor), edit);
  settle_checkpoints_of_ended(r, id);
  submit_next_cron_job(r, id);
}

}  // namespace cox
