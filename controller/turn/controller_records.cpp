// What sacct is told, once the store has read it.
#include "controller/scheduling/ineligible.h"
#include "controller/turn/controller.h"

namespace cox {

void Controller::on(const AccountingRead& event, Now now) {
  const auto read = reads_.extract(event.ticket);
  if (read.empty()) return;
  AccountingPage page = event.page;
  page.cluster = cluster_.config().cluster_name;
  page.now = now.wall;
  for (JobRecord& record : page.records)
    if (const auto why = why_ineligible(cluster_, record.job, now))
      record.reason = name(why->reason);
  outgoing_.push_back({read.mapped().peer, Reply{read.mapped().number, std::move(page)}});
}

}  // namespace cox
