// Tests of the suite that runs over both stores (PostgreSQL and memory): a changed specification of
// a job is loaded as it was written.
#include "tests/store/store_suite.h"

namespace cox::test {
namespace {

TEST_P(StoreSuite, AChangedSpecificationOfAJobIsStored) {
  Controller controller(*database);
  Job job = a_job(1);
  controller.commit({JobAdded{job, {}, {}}});
  JobSpec& s = job.spec.change();
  s.name = s.partition = s.work_dir = s.output = s.error = s.input = "other";
  s.qos = "critical";
  s.account = s.constraint = s.gpu_type = s.gres = s.licences = s.node_sizes = s.switches = "other";
  s.prefer = "other";
  s.dependency = s.reservation = "other";
  s.nodes = s.tasks = s.tasks_per_node = s.cpus_per_task = s.memory_mb_per_node = 77;
  s.gpus_per_node = s.time_limit_s = s.time_min_s = s.nice = 78;
  s.gpu_milli = 79;
  s.tasks_asked = s.cpus_per_task_asked = s.exclusive = false;
  s.contiguous = s.exclusive_user = false;
  s.min_cpus = 84;
  s.requeue = true;
  s.nodelist = {"n8"};
  s.exclude = {"n7"};
  s.memory_mb_per_cpu = s.memory_mb_per_gpu = s.gpus = s.gpus_per_task = 82;
  s.cpus_per_gpu = s.tasks_per_gpu = 83;
  s.whole_memory = true;
  s.components.pop_back();
  s.components[0].tasks = 9;
  s.comment = s.wckey = s.mail_type = s.mail_user = "other";
  s.begin = at(80);
  s.deadline = at(81);
  s.resume_from.step = s.resume_from.ranks = 85;
  s.resume_from.attempt = AttemptNumber{86};
  controller.commit({JobRespecified{job}});
  EXPECT_EQ(load(controller.store(), false).jobs, std::vector<Job>{job});
  job.spec.change().nice = 5;
  job.held = false;
  controller.commit({JobRespecified{job}, JobChanged{job, job.state, job.attempt}});
  EXPECT_EQ(load(controller.store(), false).jobs, std::vector<Job>{job});
}

}  // namespace
}  // namespace cox::test
