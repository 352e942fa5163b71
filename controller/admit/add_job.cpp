#include "controller/admit/add_job.h"

#include "common/base/check.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "controller/ledger/resume.h"

namespace cox {

JobId add_job(Reaction& r, Admitted admitted, std::string request_id, const Payload* payload) {
  Job job;
  job.id = r.cluster().jobs().next_id();
  job.spec = r.shared_spec(admitted.spec);
  job.held = job.spec->hold;
  job.request_id = std::move(request_id);
  job.submitted = r.now().wall;
  job.eligible = admitted.waits.eligible;
  job.dependencies = std::move(admitted.waits.dependencies);
  if (const ArrayWish& array = job.spec->terms->array; !array.tasks.empty()) {
    job.array_job = job.id;
    job.array_limit = array.limit;
    set_tasks(job, array.tasks);
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

Result<Shared<ParsedSpec>> admit_spec(const Cluster& cluster, const Admission& admission,
                                      const JobSpec& asked) {
  auto spec = admission.admit(asked);
  if (!spec) return spec.refusal();
  if (auto f = resolve_resume(cluster, *spec)) return *f;
  return Shared<ParsedSpec>(std::move(*spec));
}

Result<Admitted> admit_one(const Cluster& cluster, const Shared<ParsedSpec>& spec,
                           const std::vector<Job>& recalled, InRequest& in_request, Now now) {
  const std::int64_t tasks = tasks_asked(spec->terms->array);
  for (const Qos* qos : cluster.accounting().qos_binding(*spec))
    if (auto f = check_submit_limits(*qos, cluster.accounting().limits_in_use(), *spec,
                                     in_request.of_qos[qos->name] += tasks))
      return *f;
  count_submitted(in_request.of_association, cluster.accounting().accounts(), *spec, tasks);
  if (auto f =
          check_submit_limits(cluster.accounting().accounts(), cluster.accounting().limits_in_use(),
                              *spec, in_request.of_association))
    return *f;
  auto waits = dependent(cluster, *spec, recalled, now);
  if (!waits) return waits.refusal();
  return Admitted{spec, std::move(*waits)};
}

void note_ruling_failure(Reaction& r, JobId id, const SubmitRuling& ruling) {
  if (ruling.failed.empty()) return;
  const std::string why = cut_text(printable(ruling.failed), limits::reason_bytes_max);
  r.note(id, "submit_program", why + "; the job was accepted without it", "controller");
}

}  // namespace cox
