// Tests how sizes that a job gives in total, per task, per CPU or per GPU become what each node
// must have.
#include <gtest/gtest.h>

#include "tests/controller/bench.h"

namespace cox {
namespace {

class AskedSizes : public testing::Test, public Bench {
 protected:
  void SetUp() override {
    for (const char* name : {"n1", "n2", "n3", "n4"}) node(name, 8, {}, {}, 4);  // and 1000 MB
  }
  // Returns, for example, "2 nodes, 4 tasks of 2 CPUs, 4000 MB and 2 GPUs a node", or the refusal.
  std::string resolved(const std::function<void(JobSpec&)>& with) {
    SubmitJob s;
    s.request_id = "r" + std::to_string(++requests);
    s.spec.command = {"train"};
    s.spec.work_dir = "/home/u";
    with(s.spec);
    const Reply reply = ask(s);
    const auto* submitted = std::get_if<Submitted>(&reply.body);
    if (submitted == nullptr) {
      const Refusal& why = std::get<Refused>(reply.body).why;
      return why.fact + "; " + why.hint;
    }
    const JobSpec& spec = *controller->cluster().job(submitted->id)->job.spec;
    return std::to_string(spec.nodes) + " nodes, " + std::to_string(spec.tasks) + " tasks of " +
           std::to_string(spec.cpus_per_task) + " CPUs, " +
           std::to_string(spec.memory_mb_per_node) + " MB and " +
           std::to_string(spec.gpus_per_node) + " GPUs a node";
  }
};

TEST_F(AskedSizes, SizesAreResolvedToWhatEachNodeMustHave) {
  const std::pair<std::function<void(JobSpec&)>, std::string> table[] = {
      {[](JobSpec& s) { s.tasks = 4, s.nodes = 2, s.memory_mb_per_cpu = 500; },
       "2 nodes, 4 tasks of 1 CPUs, 1000 MB and 0 GPUs a node"},
      {[](JobSpec& s) { s.tasks = 2, s.cpus_per_task = 3, s.memory_mb_per_cpu = 100; },
       "1 nodes, 2 tasks of 3 CPUs, 600 MB and 0 GPUs a node"},
      {[](JobSpec& s) { s.gpus = 8; }, "2 nodes, 2 tasks of 1 CPUs, 0 MB and 4 GPUs a node"},
      {[](JobSpec& s) { s.gpus = 6, s.nodes = 3; },
       "3 nodes, 3 tasks of 1 CPUs, 0 MB and 2 GPUs a node"},
      {[](JobSpec& s) { s.gpus = 2, s.memory_mb_per_gpu = 400, s.cpus_per_gpu = 3; },
       "1 nodes, 1 tasks of 6 CPUs, 800 MB and 2 GPUs a node"},
      {[](JobSpec& s) { s.tasks = 4, s.nodes = 2, s.gpus_per_task = 2; },
       "2 nodes, 4 tasks of 1 CPUs, 0 MB and 4 GPUs a node"},
      {[](JobSpec& s) { s.gpus = 4, s.gpus_per_task = 2; },
       "1 nodes, 2 tasks of 1 CPUs, 0 MB and 4 GPUs a node"},
      {[](JobSpec& s) { s.tasks = 6, s.tasks_per_gpu = 3; },
       "1 nodes, 6 tasks of 1 CPUs, 0 MB and 2 GPUs a node"},
      {[](JobSpec& s) { s.gpus_per_node = 2, s.tasks_per_gpu = 2; },
       "1 nodes, 4 tasks of 1 CPUs, 0 MB and 2 GPUs a node"},
      {[](JobSpec& s) { s.gpus = 8, s.gpus_per_node = 2; },
       "4 nodes, 4 tasks of 1 CPUs, 0 MB and 2 GPUs a node"},
      {[](JobSpec& s) { s.min_cpus = 3; }, "1 nodes, 1 tasks of 3 CPUs, 0 MB and 0 GPUs a node"},
      {[](JobSpec& s) { s.tasks = 4, s.nodes = 2, s.min_cpus = 5; },
       "2 nodes, 4 tasks of 3 CPUs, 0 MB and 0 GPUs a node"},
      {[](JobSpec& s) { s.cpus_per_task = 2, s.cpus_per_task_asked = true, s.min_cpus = 8; },
       "1 nodes, 1 tasks of 8 CPUs, 0 MB and 0 GPUs a node"},
      {[](JobSpec& s) { s.tasks = 2, s.min_cpus = 4, s.memory_mb_per_cpu = 100; },
       "1 nodes, 2 tasks of 2 CPUs, 400 MB and 0 GPUs a node"},
      {[](JobSpec& s) { s.gpus = 2, s.cpus_per_gpu = 2, s.min_cpus = 6; },
       "1 nodes, 1 tasks of 6 CPUs, 0 MB and 2 GPUs a node"},
      {[](JobSpec& s) { s.whole_memory = true; },
       "1 nodes, 1 tasks of 1 CPUs, 1000 MB and 0 GPUs a node"},
  };
  for (const auto& [with, text] : table) EXPECT_EQ(resolved(with), text);
}

TEST_F(AskedSizes, ContradictorySizesAreRefused) {
  const std::pair<std::function<void(JobSpec&)>, std::string> table[] = {
      {[](JobSpec& s) { s.memory_mb_per_cpu = 1, s.whole_memory = true; }, "mutually exclusive"},
      {[](JobSpec& s) { s.cpus_per_gpu = 2; }, "the job asks for none"},
      {[](JobSpec& s) { s.gpus = 3, s.nodes = 2; },
       "3 GPUs cannot be divided evenly among 2 nodes"},
      {[](JobSpec& s) { s.gpus = 8, s.gpus_per_node = 4, s.nodes = 3; }, "is a contradiction"},
      {[](JobSpec& s) { s.nodelist = s.exclude = {"n1"}; }, "node n1 is in --nodelist"},
      {[](JobSpec& s) { s.gpus = 20; }, "this cluster can never run it"},
      {[](JobSpec& s) { s.gpus = 20; },
       "--gpus=20 is the number in all, and each node of the job gets the same share; see "},
      {[](JobSpec& s) { s.min_cpus = 9; },
       "this cluster can never run it: asks for at least 9 CPUs on a node (--mincpus); the "
       "largest in the cluster has 8"},
      {[](JobSpec& s) { s.min_cpus = -1; }, "--mincpus is -1; it may be 0 to 4096"},
      {[](JobSpec& s) { s.stored_options.resize(65, "hint=x"); }, "the limit is 64"},
  };
  for (const auto& [with, text] : table) {
    const std::string why = resolved(with);
    EXPECT_NE(why.find(text), std::string::npos) << why;
  }
}

TEST_F(AskedSizes, ASubmittedJobHasTheSameSpecificationAfterARestart) {
  const JobId id = submit({.with = [](JobSpec& s) {
    s.gpus = 2;
    s.memory_mb_per_cpu = 100;
    s.exclude = {"n1", "n3"};
    s.comment = "for the paper";
    s.stored_options = {"hint=nomultithread"};
  }});
  const JobSpec before = *job(id).job.spec;
  EXPECT_EQ(attempt(id).nodes.at(0).grant.node, "n2");
  restart();
  EXPECT_EQ(*job(id).job.spec, before);
}

}  // namespace
}  // namespace cox
