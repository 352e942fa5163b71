#include "controller/ledger/authorisation.h"

namespace cox {

bool may_act_on(const Cluster& cluster, const Caller& caller, const Job& job) {
  return caller.uid == job.spec->uid || caller.uid == cluster.config().owner_uid;
}

bool may_manage(const Cluster& cluster, const Caller& caller, const Job& job) {
  return may_act_on(cluster, caller, job) ||
         (caller.kind == Caller::Kind::Client &&
          cluster.accounting().accounts().is_coordinator(caller.user_name, job.spec->account));
}

}  // namespace cox
