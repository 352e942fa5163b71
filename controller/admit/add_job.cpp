#include "controller/admit/add_job.h"

#include "common/base/check.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "controller/ledger/checkpoints.h"

namespace cox {

JobId add_job(Reaction& r, Admitted admitted, std::string request_id, const Payload* payload) {
  Job job;
  job.id = r.cluster().next_job();
  job.spec = r.soft_state().shared_spec(std::move(admitted.spec));
  job.held = job.spec->hold;
  job.request_id = std::move(request_id);
  job.submitted = r.now().wall;
  job.eligible = admitted.waits.eligible;
  job.dependencies = std::move(admitted.waits.dependencies);
  if (!job.spec->array.empty()) {
    const auto array = parse_array(job.spec->array);
    CHECK(array.ok());
    job.array_job = job.id;
    job.array_limit = array->limit;
    set_tasks(job, array->tasks);
  }
  Blob script, environment;
  if (payload != nullptr) {
    script = {job.spec->script_hash, payload->script};
    environment = {job.spec->environment_hash, payload->environment};
  }
  const JobId id = job.id;
  r.add_job(std::move(job), std::move(script), std::move(environment), "submitted");
  return id;
}

Result<Admitted> admit_one(const Cluster& cluster, const Admission& admission, const JobSpec& asked,
                           const std::vector<Job>& recalled, InRequest& in_request, Now now) {
  auto spec = admission.admit(asked);
  if (!spec) return spec.refusal();
  if (auto f = settle_resume(cluster, *spec)) return *f;
  const std::int64_t tasks = tasks_asked(spec->array);
  for (const Qos* qos : cluster.qos_binding(*spec))
    if (auto f = check_submit_limits(*qos, cluster.limits_in_use(), *spec,
                                     in_request.of_qos[qos->name] += tasks))
      return *f;
  count_submitted(in_request.of_association, cluster.accounts(), *spec, tasks);
  if (auto f = check_submit_limits(cluster.accounts(), cluster.limits_in_use(), *spec,
                                   in_request.of_association))
    return *f;
  auto waits = dependent(cluster, *spec, recalled, now);
  if (!waits) return waits.refusal();
  return Admitted{std::move(*spec), std::move(*waits)};
}

void note_unjudged(Reaction& r, JobId id, const SubmitRuling& ruling) {
  if (ruling.failed.empty()) return;
  const std::string why = cut_text(printable(ruling.failed), limits::reason_bytes_max);
  r.note(id, "submit_program", why + "; the job was accepted without it", "controller");
}

}  // namespace cox
