// sstat: asks the controller which steps run and on which nodes, and the worker of each of these
// nodes how much CPU, memory and I/O the steps use.
#include <unistd.h>

#include <algorithm>
#include <map>

#include "client/io/pages.h"
#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/slurm/records/sstat.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"
#include "common/syntax/array_tasks.h"

namespace cox {
namespace {

class Sampler {
 public:
  explicit Sampler(Session& session) : session_(session) {}
  // Samples the steps of one job on all of its nodes.
  Result<std::vector<SampledStep>> sample(const RecordSelector& wanted, bool all_steps);

 private:
  Result<JobDetail> detail_of(const RecordSelector& wanted);
  Failure find_workers();
  Result<UsageSample> ask(const std::string& node, AttemptKey key);

  Session& session_;
  std::map<std::string, Node> nodes_;  // by name, with the endpoint of each node's worker
};

template <class Body>
Result<Body> answer_of(Result<Answer> answer) {
  if (!answer) return answer.refusal();
  if (const auto* refused = std::get_if<Refused>(&*answer)) return refused->why;
  auto* body = std::get_if<Body>(&*answer);
  if (body == nullptr) return Refusal{"unexpected reply", ""};
  return std::move(*body);
}

Result<JobDetail> Sampler::detail_of(const RecordSelector& wanted) {
  const auto tasks = parse_array_tasks(wanted.tasks);
  const bool is_task = !wanted.tasks.empty() && tasks;
  const std::int64_t task = is_task ? tasks->first() : -1;
  return answer_of<JobDetail>(session_.controller->ask(ShowJob{wanted.id, task}));
}

Failure Sampler::find_workers() {
  if (!nodes_.empty()) return std::nullopt;
  auto list = answer_of<NodeList>(ask_all_pages(*session_.controller, ListNodes{}));
  if (!list) return list.refusal();
  for (NodeView& view : list->nodes) nodes_[view.node.name] = std::move(view.node);
  return std::nullopt;
}

Result<UsageSample> Sampler::ask(const std::string& node, AttemptKey key) {
  const auto known = nodes_.find(node);
  if (known == nodes_.end() || known->second.log_endpoint.empty())
    return Refusal{"node " + node + " has reported no address for its worker", ""};
  Connection::Options to{known->second.log_endpoint, known->second.log_key, {}};
  if (!to.server_key.empty()) {
    auto own = read_key_file(session_.config.key_file);
    if (!own) return own.refusal();
    to.key = *own;
  }
  auto worker = Asker::to_worker(*session_.poller, to, node);
  if (!worker) return worker.refusal();
  return answer_of<UsageSample>(worker->ask(SampleUsage{key}));
}

std::vector<ProcessSample> of_step(const UsageSample& sample, std::int32_t step) {
  std::vector<ProcessSample> own;
  for (const ProcessSample& process : sample.processes)
    if (process.step == step) own.push_back(process);
  return own;
}

Result<std::vector<SampledStep>> Sampler::sample(const RecordSelector& wanted, bool all_steps) {
  const auto detail = detail_of(wanted);
  if (!detail) return detail.refusal();
  const Job& job = detail->view.job;
  if (!is_live(job.state) || detail->attempts.empty())
    return Refusal{"job " + shown_id(job) + " is not running",
                   "'squeue -t R' shows the jobs that run, and sacct what others used"};
  const Attempt& attempt = detail->attempts.back();
  ListSteps list;
  list.ids = {job.id};
  const auto steps = answer_of<StepList>(ask_all_pages(*session_.controller, list));
  if (!steps) return steps.refusal();
  const auto numbers = steps_to_sample(wanted, job, steps->steps, all_steps);
  if (!numbers) return numbers.refusal();
  if (const Failure failure = find_workers()) return *failure;
  std::vector<SampledStep> sampled;
  for (const std::int32_t number : *numbers)
    sampled.push_back({shown_id(job) + "." + (number < 0 ? "batch" : std::to_string(number)), {}});
  for (const AttemptNode& node : attempt.nodes) {
    const auto samples = ask(node.grant.node, attempt.key);
    if (!samples) return samples.refusal();
    for (std::size_t i = 0; i < sampled.size(); ++i) {
      auto own = of_step(*samples, (*numbers)[i]);
      if (!own.empty()) sampled[i].nodes.push_back({node.grant.node, std::move(own)});
    }
  }
  return sampled;
}

}  // namespace

int run_sample(const Command& command, const SstatOptions& options) {
  if (const auto shown = show_sample_help(options)) return print(*shown);
  auto session = open_session(options.config);
  if (!session) return print_refusal(command, session.refusal(), options, exit_refused);
  Sampler sampler(*session);
  std::vector<SampledStep> all;
  Shown wrong;
  for (const RecordSelector& wanted : options.jobs) {
    const auto sampled = sampler.sample(wanted, options.all_steps);
    if (sampled) {
      all.insert(all.end(), sampled->begin(), sampled->end());
      continue;
    }
    wrong.err += "sstat: error: " + printable(sampled.refusal().fact) + "\n";
    wrong.exit_code = exit_refused;
  }
  Shown shown = options.json ? Shown{samples_json(all, screen_now(STDOUT_FILENO).now), "", exit_ok}
                             : show_samples(all, options);
  shown.err += wrong.err;
  shown.exit_code = std::max(shown.exit_code, wrong.exit_code);
  return print(shown);
}

}  // namespace cox
