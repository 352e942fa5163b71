// The reply to sacct, after the store has read the records.
#include "controller/scheduling/ineligible.h"
#include "controller/turn/controller.h"

namespace cox {

void Controller::on(const AccountingRead& event, Now now) {
  const auto asked = reads_.take(event.ticket);
  if (!asked) return;
  AccountingPage page = event.page;
  page.cluster = cluster_.config().cluster_name;
  page.now = now.wall;
  for (JobRecord& record : page.records)
    if (const auto why = why_ineligible(cluster_, record.job, now))
      record.reason = name(why->reason);
  effects_.reply(asked->peer, asked->number, std::move(page));
}

}  // namespace cox
