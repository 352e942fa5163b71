#include "simulate/trace/readers.h"

#include <gtest/gtest.h>

#include "simulate/trace/lines.h"
#include "simulate/trace/trace_reader.h"
#include "tests/simulate/jobs.h"

namespace cox::simulate {
namespace {

std::vector<TraceJob> read(Format format, std::string_view text) {
  return read_trace(format, text).value().jobs;
}

std::string refused(Format format, std::string_view text) {
  const auto trace = read_trace(format, text);
  return trace ? "(not refused)" : trace.refusal().fact;
}

constexpr std::string_view swf_job =
    "1 100 5 60 8 -1 -1 -1 -1 -1 1 1 1 -1 1 -1 -1 -1\n"
    "2 90 -1 60 8 -1 -1 16 30 -1 1 1 1 -1 1 -1 -1 -1\n"
    "3 95 -1 60.5 8 -1 -1 0 120 -1 1 1 1 -1 1 -1 -1 -1\n";

TEST(Swf, requested_estimates_and_processors_are_used_if_known) {
  const auto jobs = read(Format::Swf, swf_job);
  ASSERT_EQ(jobs.size(), 3u);
  EXPECT_EQ(jobs[0].name, "2");  // sorted by submission; job 2 was submitted first
  EXPECT_EQ(jobs[0].tasks, 16);
  EXPECT_EQ(jobs[0].estimate, s(60));  // the record's estimate of 30 s is below the run time
  EXPECT_EQ(jobs[0].recorded_wait, std::nullopt);
  EXPECT_EQ(jobs[1].run, Milliseconds{60'500});
  EXPECT_EQ(jobs[1].estimate, s(120));
  EXPECT_EQ(jobs[1].tasks, 8);
  EXPECT_EQ(jobs[2].estimate, s(60));
  EXPECT_EQ(jobs[2].recorded_wait, s(5));
}

TEST(Swf, users_and_groups_are_named_by_their_numbers) {
  const auto jobs = read(Format::Swf, "1 0 -1 9 1 -1 -1 -1 -1 -1 1 12 3 -1 1 -1 -1 -1\n");
  EXPECT_EQ(jobs[0].user, "u12");
  EXPECT_EQ(jobs[0].account, "g3");
}

TEST(Swf, equal_submit_times_keep_their_order_and_void_records_are_counted) {
  const auto trace = read_trace(Format::Swf,
                                "; a comment\n\n"
                                "9 5 -1 1 1 -1 -1 -1 -1 -1 1 1 1 -1 1 -1 -1 -1\r\n"
                                "8 5 -1 1 1 -1 -1 -1 -1 -1 1 1 1 -1 1 -1 -1 -1 0\r\n"
                                "7 5 -1 0 1 -1 -1 -1 -1 -1 1 1 1 -1 1 -1 -1 -1\n"
                                "6 5 -1 9 -1 -1 -1 -1 -1 -1 1 1 1 -1 1 -1 -1 -1");
  ASSERT_TRUE(trace.ok());
  ASSERT_EQ(trace->jobs.size(), 2u);
  EXPECT_EQ(trace->jobs[0].name, "9");
  EXPECT_EQ(trace->jobs[1].name, "8");
  EXPECT_EQ(trace->skipped, 2);
}

TEST(Swf, bad_lines_are_refused_with_their_number) {
  EXPECT_EQ(refused(Format::Swf, "; x\n1 2 3\n"),
            "line 2: a job has 18 fields, and this line has 3");
  EXPECT_EQ(refused(Format::Swf, "1 2 three\n"), "line 1: \"three\" is not a number");
  EXPECT_EQ(refused(Format::Swf, "1 nan\n"), "line 1: \"nan\" is not a number");
  EXPECT_EQ(refused(Format::Swf, "1 -5 -1 1 1 -1 -1 -1 -1 -1 1 1 1 -1 1 -1 -1 -1\n"),
            "line 1: field 2, the time of submission, is negative");
  EXPECT_EQ(
      refused(Format::Swf, "1 5 -1 1e99 1 -1 -1 -1 -1 -1 1 1 1 -1 1 -1 -1 -1\n").substr(0, 30),
      "line 1: field 4 is a time beyo");
  EXPECT_EQ(refused(Format::Swf, "1 5 -1 1 1e12 -1 -1 -1 -1 -1 1 1 1 -1 1 -1 -1 -1\n"),
            "line 1: field 5 is beyond 1000000000");
  EXPECT_EQ(refused(Format::Swf, ""), "the trace has no job");
}

TEST(Openb, gpu_fractions_and_types_are_read) {
  const auto jobs = read(Format::Openb,
                         "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,"
                         "creation_time,deletion_time,scheduled_time\n"
                         "a,12500,16384,1,460,V100M16|V100M32,LS,Running,10,25,11\n"
                         "b,6000,100,8,1000,,LS,Running,0,5,0\n");
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].name, "b");
  EXPECT_EQ(jobs[0].gpus, 8);
  EXPECT_EQ(jobs[0].gpu_milli, 1'000);
  EXPECT_TRUE(jobs[0].gpu_types.empty());
  EXPECT_EQ(jobs[1].gpu_milli, 460);
  EXPECT_EQ(jobs[1].gpu_types, (std::vector<std::string>{"V100M16", "V100M32"}));
  EXPECT_EQ(jobs[1].cpu_milli_per_task, 12'500);
  EXPECT_EQ(jobs[1].run, s(15));
}

TEST(Openb, bad_tables_are_refused_with_the_line) {
  const std::string head = "name,cpu_milli,memory_mib,num_gpu,gpu_milli\n";
  EXPECT_EQ(refused(Format::Openb, "name,cpu_milli\n"),
            "line 1: the header has no column memory_mib");
  EXPECT_EQ(refused(Format::Openb, head + "a,1,1,1\n"),
            "line 2: has 4 columns, and the header has 5");
  EXPECT_EQ(refused(Format::Openb, head + "a,1,1,1,5000\n"),
            "line 2: gpu_milli is \"5000\"; it must be a whole number from 1 to 1000");
  EXPECT_EQ(refused(Format::Openb, head + "a,1,1,99,0\n"),
            "line 2: num_gpu is \"99\"; it must be a whole number from 0 to 64");
  EXPECT_EQ(refused(Format::Openb, head + "\"a,1,1,1,1\n"),
            "line 2: has an unclosed quote, or too many columns");
}

TEST(Muri, times_are_milliseconds_and_gpus_count_for_the_whole_job) {
  const auto jobs = read(Format::Muri,
                         "job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration\n"
                         "0,16,201694000,5,dqn,128,4472936000\n");
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(jobs[0].gpus, 16);
  EXPECT_EQ(jobs[0].nodes, 0);
  EXPECT_EQ(jobs[0].submit, s(201'694));
  EXPECT_EQ(jobs[0].run, s(4'472'936));
  EXPECT_EQ(refused(Format::Muri, "job_id,num_gpu,submit_time,duration\n0,0,1,1\n"),
            "line 2: num_gpu is \"0\"; it must be a whole number from 1 to 1000000000");
  EXPECT_EQ(refused(Format::Muri, "job_id,num_gpu,submit_time,duration\n0,1,-1,1\n").substr(0, 44),
            "line 2: submit_time is \"-1\"; it must be a nu");
}

constexpr std::string_view workload =
    R"({"jobs": [{"id": 1, "subtime": 4.7091640, "res": 2, "walltime": 399, "profile": "d"},
                 {"id": "w0!2", "subtime": 1, "res": 1, "profile": "d"}],
        "profiles": {"d": {"type": "delay", "delay": 265.8}, "other": {"type": "x"}}})";

TEST(Batsim, the_run_time_is_the_delay_of_the_profile) {
  const auto jobs = read(Format::Batsim, workload);
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].name, "w0!2");
  EXPECT_EQ(jobs[0].estimate, std::nullopt);
  EXPECT_EQ(jobs[1].name, "1");
  EXPECT_EQ(jobs[1].submit, Milliseconds{4'709});
  EXPECT_EQ(jobs[1].run, Milliseconds{265'800});
  EXPECT_EQ(jobs[1].estimate, s(399));
  EXPECT_EQ(jobs[1].tasks, 2);
}

TEST(Batsim, bad_workloads_are_refused) {
  EXPECT_EQ(refused(Format::Batsim, "{\n\"jobs\": [\n,"), "line 3: this is not JSON from here on");
  EXPECT_EQ(refused(Format::Batsim, "[1]"), "the file has no jobs");
  EXPECT_EQ(refused(Format::Batsim, R"({"jobs": 1, "profiles": {}})"),
            "jobs is not a list, or profiles is not an object");
  EXPECT_EQ(refused(Format::Batsim, R"({"jobs": [7], "profiles": {}})"),
            "job 1 of the file: it is not an object");
  EXPECT_EQ(refused(Format::Batsim,
                    R"({"jobs": [{"subtime": 0, "res": 1, "profile": "x"}], "profiles": {}})"),
            "job 1 of the file: there is no profile \"x\" with a delay");
  EXPECT_EQ(refused(Format::Batsim, R"({"jobs": [{"subtime": 0, "res": -1}], "profiles": {}})"),
            "job 1 of the file: res is not a number from 1 to 1000000000");
  const std::string deep(200'000, '[');
  EXPECT_NE(refused(Format::Batsim, "{\"jobs\": " + deep), "(not refused)");
}

TEST(SlurmSim, events_are_command_lines_of_sbatch) {
  const auto trace = read_trace(
      Format::SlurmSim,
      "-dt  10.50 -e submit_batch_job | -sim-walltime  84805.00 --uid=user001 -J jobid_1 -N    2 "
      "-n     32 -t 1-00:00:00 -q general -p general --mem=500G --constraint=IB --exclusive "
      "--mincpus=8 --prefer=AVX --contiguous pseudo.job\n"
      "-dt 5 -e submit_batch_job | -sim-walltime 99 --uid=user002 -J jobid_2 -N 1 -n 1 -t 1 "
      "--gres=gpu:v100:2 pseudo.job\n"
      "-dt 7 -e submit_batch_job | -sim-walltime 0 --uid=user002 -J jobid_3 -N 1 -n 1\n");
  ASSERT_TRUE(trace.ok());
  ASSERT_EQ(trace->jobs.size(), 2u);
  EXPECT_EQ(trace->skipped, 1);
  const TraceJob& gpus = trace->jobs[0];
  EXPECT_EQ(gpus.run, s(60)) << "Slurm ends it at its limit";
  EXPECT_EQ(gpus.gpus, 2);
  EXPECT_EQ(gpus.gpu_types, std::vector<std::string>{"v100"});
  const TraceJob& job = trace->jobs[1];
  EXPECT_EQ(job.submit, Milliseconds{10'500});
  EXPECT_EQ(job.run, s(84'805));
  EXPECT_EQ(job.estimate, s(86'400));
  EXPECT_EQ(job.nodes, 2);
  EXPECT_EQ(job.tasks, 32);
  EXPECT_EQ(job.memory_mb_per_node, 500 * 1024);
  EXPECT_EQ(job.partition, "general");
  EXPECT_EQ(job.constraint, "IB");
  EXPECT_EQ(job.prefer, "AVX");
  EXPECT_EQ(job.min_cpus, 8);
  EXPECT_TRUE(job.contiguous);
  EXPECT_FALSE(gpus.contiguous);
  EXPECT_EQ(job.user, "user001");
  EXPECT_EQ(guess_format("x", "-dt  10.50 -e").value(), Format::SlurmSim);
  EXPECT_EQ(refused(Format::SlurmSim, "-dt 1 -e submit_batch_job | -sim-walltime soon -J 1\n"),
            "line 1: -sim-walltime: \"soon\" is not a number of seconds from 0");
}

std::string cox_day(const std::string& rows) {
  return std::string(cox_day_header) + "\n" + rows;
}

TEST(CoxDay, each_column_is_read) {
  const auto jobs =
      read(Format::Cox, cox_day("7,100.5,110,200,80.25,2,8,4,1024,2,h100,3600,3,gpu,\"a,b\"\n"
                                "8,90,91,92,1,1,1,1,0,0,,0,2,gpu,\n"));
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].estimate, std::nullopt);
  const TraceJob& job = jobs[1];
  EXPECT_EQ(job.submit, Milliseconds{100'500});
  EXPECT_EQ(job.recorded_wait, Milliseconds{9'500});
  EXPECT_EQ(job.recorded_completion, Milliseconds{99'500});
  EXPECT_EQ(job.run, Milliseconds{80'250});
  EXPECT_EQ(job.nodes, 2);
  EXPECT_EQ(job.tasks, 8);
  EXPECT_EQ(job.cpu_milli_per_task, 4'000);
  EXPECT_EQ(job.memory_mb_per_node, 1'024);
  EXPECT_EQ(job.gpus, 2);
  EXPECT_EQ(job.gpu_types, std::vector<std::string>{"h100"});
  EXPECT_EQ(job.estimate, s(3'600));
  EXPECT_EQ(job.tier, 3);
  EXPECT_EQ(job.partition, "gpu");
  EXPECT_EQ(job.constraint, "a,b");
}

TEST(CoxDay, gpus_may_be_fractions_and_of_several_types) {
  const std::string header = std::string(cox_day_header) + ",gpu_milli\n";
  const std::string row = "7,100,110,200,80,1,1,1,0,1,h100|a100:0.5,0,2,gpu,,";
  const auto jobs = read(Format::Cox, header + row + "250\n");
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(jobs[0].gpu_milli, 250);
  EXPECT_EQ(jobs[0].gpu_types, (std::vector<std::string>{"h100", "a100"}));
  EXPECT_EQ(refused(Format::Cox, header + row + "0\n"),
            "line 2: gpu_milli is \"0\"; it must be a whole number from 1 to 1000");
  EXPECT_EQ(refused(Format::Cox, header + "7,100,110,200,80,1,1,1,0,2,,0,2,gpu,,250\n"),
            "line 2: gpu_milli is of one GPU, and gpus is 2");
  EXPECT_TRUE(refused(Format::Cox, cox_day("7,1,2,3,1,1,1,1,0,1,h100:x,0,2,gpu,\n"))
                  .starts_with("line 2: gpu_type: "));
}

TEST(CoxDay, a_job_may_name_its_account_and_user) {
  const auto jobs = read(Format::Cox, std::string(cox_day_header) + ",gpu_milli,account,user\n" +
                                          "7,1,2,3,1,1,1,1,0,0,,0,2,,,1000,physics,ada\n");
  EXPECT_EQ(jobs[0].account, "physics");
  EXPECT_EQ(jobs[0].user, "ada");
}

TEST(CoxDay, a_job_may_have_prefer_mincpus_and_contiguous) {
  const std::string header =
      std::string(cox_day_header) + ",gpu_milli,account,user,prefer,min_cpus,contiguous\n";
  const std::string row = "7,1,2,3,1,2,2,1,0,0,,0,2,,old,1000,,,";
  const auto jobs = read(Format::Cox, header + row + "fast,4,1\n" + row + ",0,0\n");
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].prefer, "fast");
  EXPECT_EQ(jobs[0].min_cpus, 4);
  EXPECT_TRUE(jobs[0].contiguous);
  EXPECT_EQ(jobs[1].prefer, "");
  EXPECT_FALSE(jobs[1].contiguous);
  EXPECT_EQ(refused(Format::Cox, header + row + ",0,2\n"),
            "line 2: contiguous is \"2\"; it must be a whole number from 0 to 1");
}

TEST(CoxDay, times_out_of_order_are_refused) {
  EXPECT_EQ(refused(Format::Cox, cox_day("7,100,90,200,1,1,1,1,0,0,,0,2,gpu,\n")),
            "line 2: eligible, started and ended are not in this order");
}

TEST(Formats, settings_that_are_not_simulated_are_named_once) {
  const std::vector<std::string> of_cluster = {"the hours of partition a, b",
                                               "the QOS of partition a",
                                               "the limits on jobs of partition b",
                                               "priority_tier of partition b",
                                               "licences",
                                               "GRES other than GPUs"};
  EXPECT_EQ(left_out(Format::Swf, of_cluster), of_cluster);
  EXPECT_EQ(left_out(Format::Cox, of_cluster),
            (std::vector<std::string>{
                "limits of QOS and partitions", "advance reservations",
                "opening hours of partitions and quotas", "licences and GRES other than GPUs",
                "that all GPUs of a job are of one type",
                "--switches, --topology, --exclusive, --nodelist and --time-min of jobs",
                "priority_tier of partition b"}));
}

TEST(Formats, are_guessed_from_the_beginning_of_the_text) {
  EXPECT_EQ(guess_format("x", "; Version: 2\n").value(), Format::Swf);
  EXPECT_EQ(guess_format("theta.swf.gz", "1 2 3\n").value(), Format::Swf);
  EXPECT_EQ(guess_format("x", "name,cpu_milli,memory_mib\n").value(), Format::Openb);
  EXPECT_EQ(guess_format("x", "job_id,num_gpu,submit_time,iterations\n").value(), Format::Muri);
  EXPECT_EQ(guess_format("x", "  {\"jobs\"").value(), Format::Batsim);
  EXPECT_EQ(guess_format("x", cox_day_header).value(), Format::Cox);
  EXPECT_FALSE(guess_format("x", "hello").ok());
  EXPECT_FALSE(guess_format("x", "").ok());
  EXPECT_EQ(parse_format("muri").value(), Format::Muri);
  EXPECT_FALSE(parse_format("slurm").ok());
}

}  // namespace
}  // namespace cox::simulate
