// Tests the checks that need only the submission itself: each text, number and list at its limit.
#include "controller/admit/input_checks.h"

#include <gtest/gtest.h>

#include "common/base/limits.h"
#include "controller/change/payload.h"

namespace cox {
namespace {

class InputChecks : public testing::Test {
 protected:
  InputChecks() {
    plain.work_dir = "/home/u";
    plain.command = {"train"};
    plain.cpus_per_task = 1;
  }
  static std::string text(const Failure& failure) {
    return failure ? failure->fact + " / " + failure->hint : "";
  }
  template <class Set>
  std::string words(const Set& set) const {
    JobSpec spec = plain;
    set(spec);
    return text(check_words(spec));
  }
  template <class Set>
  std::string numbers(const Set& set) const {
    JobSpec spec = plain;
    set(spec);
    return text(check_numbers(spec));
  }
  template <class Set>
  std::string command(const Set& set, const std::string& script = "") const {
    JobSpec spec = plain;
    set(spec);
    return text(check_command(spec, Payload(script, "", 1000)));
  }
  // Expects that `check_text`, the check of one field, accepts `most` bytes of plain text, and
  // refuses longer text, control characters and text that is not UTF-8.
  void expect_bounded(const std::string& what, std::size_t most,
                      const std::function<std::string(const std::string&)>& check_text) {
    const std::string longest = "/" + std::string(most - 1, 'x');
    EXPECT_EQ(check_text(longest), "");
    EXPECT_EQ(check_text(longest + "x"), what + " has " + std::to_string(most + 1) +
                                             " bytes; the limit is " + std::to_string(most) +
                                             " / make it smaller");
    EXPECT_EQ(check_text("/\xff"), what + " is not UTF-8 / use plain text");
    EXPECT_EQ(check_text("/a\nb"),
              what + " has control characters: /a?b / use printable characters");
  }

  JobSpec plain;
};

TEST_F(InputChecks, EachTextFieldOfAJobHasABoundedLengthAndNoControlCharacters) {
  struct Row {
    const char* what;
    std::string JobSpec::*field;
    std::size_t most;
  };
  for (const auto& [what, field, most] :
       std::vector<Row>{{"the job name", &JobSpec::name, limits::name_bytes_max},
                        {"the QOS", &JobSpec::qos, limits::word_bytes_max},
                        {"the account", &JobSpec::account, limits::word_bytes_max},
                        {"the reservation", &JobSpec::reservation, limits::word_bytes_max},
                        {"the wckey", &JobSpec::wckey, limits::word_bytes_max},
                        {"--mail-user", &JobSpec::mail_user, limits::word_bytes_max},
                        {"the submit host", &JobSpec::submit_host, limits::word_bytes_max},
                        {"the comment", &JobSpec::comment, limits::name_bytes_max},
                        {"--mail-type", &JobSpec::mail_type, limits::wish_bytes_max},
                        {"the script's path", &JobSpec::command_path, limits::path_bytes_max},
                        {"the working directory", &JobSpec::work_dir, limits::path_bytes_max},
                        {"--output", &JobSpec::output, limits::path_bytes_max},
                        {"--error", &JobSpec::error, limits::path_bytes_max},
                        {"--input", &JobSpec::input, limits::path_bytes_max}})
    expect_bounded(what, most, [&](const std::string& word) {
      return words([&](JobSpec& s) { s.*field = word; });
    });
  expect_bounded("the partition", limits::word_bytes_max, [&](const std::string& word) {
    return words([&](JobSpec& s) { s.partition = word; });
  });
  expect_bounded("the choice of GPUs", limits::word_bytes_max, [&](const std::string& word) {
    return words([&](JobSpec& s) { s.gpu_choice = word; });
  });
  for (std::vector<std::string> JobSize::*list : {&JobSize::nodelist, &JobSize::exclude})
    expect_bounded("a node name", limits::word_bytes_max, [&](const std::string& word) {
      return words([&](JobSpec& s) { s.*list = {"n1", word}; });
    });
  expect_bounded("an option", limits::wish_bytes_max, [&](const std::string& word) {
    return words([&](JobSpec& s) { s.stored_options = {"x", word}; });
  });
  const std::string relative = " is not an absolute path / give --chdir=/an/absolute/path";
  EXPECT_EQ(words([](JobSpec& s) { s.work_dir = "a/b"; }),
            "the working directory 'a/b'" + relative);
  EXPECT_EQ(words([](JobSpec& s) { s.work_dir = ""; }), "the working directory ''" + relative);
}

TEST_F(InputChecks, NodeListsAndStoredOptionsHaveNoMoreEntriesThanTheirLimits) {
  const auto list_of = [](std::size_t names) { return std::vector<std::string>(names, "n"); };
  const std::size_t nodes = limits::nodes_per_job_max;
  EXPECT_EQ(words([&](JobSpec& s) { s.nodelist = list_of(nodes); }), "");
  EXPECT_EQ(words([&](JobSpec& s) { s.nodelist = list_of(nodes + 1); }),
            "the node list has 16385 names; the limit is 16384 / make it smaller");
  const std::size_t excluded = limits::hostlist_nodes_max;
  EXPECT_EQ(words([&](JobSpec& s) { s.exclude = list_of(excluded); }), "");
  EXPECT_EQ(words([&](JobSpec& s) { s.exclude = list_of(excluded + 1); }),
            "--exclude has 65537 names; the limit is 65536 / make it smaller");
  const std::size_t options = limits::stored_options_max;
  EXPECT_EQ(words([&](JobSpec& s) { s.stored_options = list_of(options); }), "");
  EXPECT_EQ(words([&](JobSpec& s) { s.stored_options = list_of(options + 1); }),
            "the list of other options has 65 entries; the limit is 64 / make it smaller");
}

TEST_F(InputChecks, EachNumericOptionOfAJobIsWithinItsRange) {
  struct Row {
    const char* what;
    std::function<void(JobSpec&, std::int64_t)> set;
    std::int64_t low;
    std::int64_t high;
  };
  using S = JobSpec;
  for (const auto& [what, set, low, high] : std::vector<Row>{
           {"--nodes", [](S&s, auto n) { s.nodes = n; }, 0, limits::nodes_per_job_max},
           {"--ntasks", [](S&s, auto n) { s.tasks = n; }, 0, limits::tasks_per_job_max},
           {"--ntasks-per-node", [](S&s, auto n) { s.tasks_per_node = n; }, 0,
            limits::tasks_per_job_max},
           {"--cpus-per-task", [](S&s, auto n) { s.cpus_per_task = n; }, 1,
            limits::cpus_per_task_max},
           {"--mem", [](S&s, auto n) { s.memory_mb_per_node = n; }, 0,
            limits::memory_mb_per_node_max},
           {"--mem-per-cpu", [](S&s, auto n) { s.memory_mb_per_cpu = n; }, 0,
            limits::memory_mb_per_node_max},
           {"--mem-per-gpu", [](S&s, auto n) { s.memory_mb_per_gpu = n; }, 0,
            limits::memory_mb_per_node_max},
           {"--gpus", [](S&s, auto n) { s.gpus = n; }, 0, limits::tasks_per_job_max},
           {"--gpus-per-task", [](S&s, auto n) { s.gpus_per_task = n; }, 0,
            limits::gpus_per_node_max},
           {"--ntasks-per-gpu", [](S&s, auto n) { s.tasks_per_gpu = n; }, 0,
            limits::tasks_per_job_max},
           {"--cpus-per-gpu", [](S&s, auto n) { s.cpus_per_gpu = n; }, 0,
            limits::cpus_per_task_max},
           {"--gres=gpu", [](S&s, auto n) { s.gpus_per_node = n; }, 0, limits::gpus_per_node_max},
           {"--time", [](S&s, auto n) { s.time_limit_s = n; }, 0, limits::time_limit_s_max},
           {"--signal's seconds",
            [](S&s, auto n) { s.signal.seconds_before = static_cast<std::int32_t>(n); }, 0,
            limits::signal_seconds_max},
           {"--signal's number",
            [](S&s, auto n) { s.signal.number = static_cast<std::int32_t>(n); }, 0, 64},
           {"--checkpoint-signal",
            [](S&s, auto n) { s.checkpoint_signal = static_cast<std::int32_t>(n); }, 0, 64}}) {
    const auto check_number = [&](std::int64_t n) { return numbers([&](S& s) { set(s, n); }); };
    EXPECT_EQ(check_number(low), "") << what;
    EXPECT_EQ(check_number(high), "") << what;
    for (const std::int64_t wrong : {low - 1, high + 1})
      EXPECT_EQ(check_number(wrong), std::string(what) + " is " + std::to_string(wrong) +
                                         "; it may be " + std::to_string(low) + " to " +
                                         std::to_string(high) +
                                         " / give a number within that range");
  }
}

TEST_F(InputChecks, AScriptAndItsEnvironmentHaveABoundedSizeAndAScriptHasNoNul) {
  const auto check_number = [](const std::string& script, const std::string& environment) {
    return text(check_payload(Payload(script, environment, 1000)));
  };
  const std::string script(limits::script_bytes_max, 'x');
  const std::string environment(limits::environment_bytes_max, 'x');
  EXPECT_EQ(check_number(script, environment), "");
  EXPECT_EQ(check_number(script + "x", ""),
            "the script has 4194305 bytes; the limit is 4194304 / make it smaller");
  EXPECT_EQ(check_number("", environment + "x"),
            "the environment has 2097153 bytes; the limit is 2097152 / make it smaller");
  EXPECT_EQ(check_number(std::string("a\0b", 3), ""),
            "the script has a NUL byte / is it a binary? Wrap it in a script");
}

TEST_F(InputChecks, ACommandIsBoundedUtf8AndABatchScriptOrAllocationNeedsNone) {
  using S = JobSpec;
  EXPECT_EQ(command([](S& s) { s.command = {std::string("a\0b", 3)}; }),
            "a word of the command has a NUL byte / remove it");
  EXPECT_EQ(command([](S& s) {
              s.command = {"a", "\xff"};
            }),
            "a word of the command is not UTF-8 / use UTF-8");
  const std::size_t words = limits::command_words_max;
  EXPECT_EQ(command([&](S& s) { s.command.assign(words, "x"); }), "");
  EXPECT_EQ(command([&](S& s) { s.command.assign(words + 1, "x"); }),
            "the command has 4097 words; the limit is 4096 / make it smaller");
  const std::string half(limits::command_bytes_max / 2 - 1, 'x');
  EXPECT_EQ(command([&](S& s) { s.command = {half, half}; }), "");
  EXPECT_EQ(command([&](S& s) {
              s.command = {half, half + "x"};
            }),
            "the command has 1048577 bytes; the limit is 1048576 / make it smaller");
  EXPECT_EQ(command([](S& s) { s.command.clear(); }),
            "there is no command to run / cox submit -n4 -- COMMAND [ARGUMENT ...]");
  const auto allocation = [](S& s) { s.form = JobForm::Allocation, s.command.clear(); };
  const std::string bare = "an allocation has no script and no array / submit a batch job for that";
  EXPECT_EQ(command(allocation), "");
  EXPECT_EQ(command(allocation, "#!/bin/sh\n"), bare);
  EXPECT_EQ(command([&](S& s) { allocation(s), s.array = "0-1"; }), bare);
  const auto batch = [](S& s) { s.form = JobForm::Batch, s.command.clear(); };
  EXPECT_EQ(command(batch, "#!/bin/sh\n"), "");
  EXPECT_EQ(command(batch, "echo\n"),
            "the script does not begin with #! / begin it with #!/bin/bash");
}

TEST_F(InputChecks, EachTextFieldOfAStepHasABoundedLengthAndNoControlCharacters) {
  const auto check_number = [](const std::function<void(CreateStep&)>& set) {
    CreateStep step;
    step.request_id = "r";
    set(step);
    return text(check_step_words(step));
  };
  EXPECT_EQ(check_number([](CreateStep& s) { s.request_id = ""; }),
            "the step has no request id / use srun of this cluster's version");
  expect_bounded("the request id", limits::word_bytes_max, [&](const std::string& word) {
    return check_number([&](CreateStep& s) { s.request_id = word; });
  });
  expect_bounded("the step's name", limits::name_bytes_max, [&](const std::string& word) {
    return check_number([&](CreateStep& s) { s.spec.name = word; });
  });
  expect_bounded("the endpoint of its streams", limits::path_bytes_max,
                 [&](const std::string& word) {
                   return check_number([&](CreateStep& s) { s.streams.endpoint = word; });
                 });
  for (std::string StreamPlace::*key :
       {&StreamPlace::server_key, &StreamPlace::public_key, &StreamPlace::secret_key})
    expect_bounded("a key of its streams", limits::word_bytes_max, [&](const std::string& word) {
      return check_number([&](CreateStep& s) { s.streams.*key = word; });
    });
  for (std::vector<std::string> StepSpec::*list : {&StepSpec::nodelist, &StepSpec::exclude}) {
    expect_bounded("a node's name", limits::word_bytes_max, [&](const std::string& word) {
      return check_number([&](CreateStep& s) { s.spec.*list = {"n1", word}; });
    });
    const std::size_t most = limits::hostlist_nodes_max;
    EXPECT_EQ(check_number([&](CreateStep& s) { (s.spec.*list).assign(most, "n"); }), "");
    EXPECT_EQ(check_number([&](CreateStep& s) { (s.spec.*list).assign(most + 1, "n"); }),
              "a node list has 65537 nodes; the limit is 65536 / make it smaller");
  }
}

}  // namespace
}  // namespace cox
