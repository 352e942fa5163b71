// scancel: command lines and variables in, questions out; outcomes in, text out.
#include "client/slurm/scancel.h"

#include <gtest/gtest.h>

#include <csignal>

#include "client/listing.h"
#include "client/slurm/refused_words.h"

namespace cox {
namespace {

using Words = std::vector<std::string>;

Surroundings around(Words environment = {}) {
  Surroundings here{std::move(environment), "ada", "n1", {}};
  here.knows_user = [](const std::string& user) { return user != "nobody"; };
  return here;
}

ScancelRequest request_of(const Words& words, const Words& environment = {}) {
  const auto read = read_scancel_request(words, around(environment));
  if (const auto* wrong = std::get_if<Shown>(&read)) ADD_FAILURE() << wrong->err;
  const auto* request = std::get_if<ScancelRequest>(&read);
  return request != nullptr ? *request : ScancelRequest{};
}

std::string refused(const Words& words) {
  const auto read = read_scancel_request(words, around());
  const auto* wrong = std::get_if<Shown>(&read);
  EXPECT_TRUE(wrong != nullptr && wrong->exit_code == 1);
  return wrong != nullptr ? wrong->err : "";
}

std::vector<CancelQuestion> asked(const Words& words) {
  const ScancelRequest request = request_of(words);
  return cancel_questions(request, jobs_named(request));
}

TEST(ScancelSteps, EndsJobsAndStepsInOneGo) {
  const auto questions = asked({"12", "13.1", "14_3.1,15"});
  ASSERT_EQ(questions.size(), 2U);
  EXPECT_EQ(std::get<ActOnJobs>(questions[0]).ids, (std::vector{JobId{12}, JobId{15}}));
  const auto& step = std::get<SignalJobs>(questions[1]);
  EXPECT_EQ(step.ids, (std::vector{JobId{13}, JobId{14}}));
  EXPECT_EQ(step.tasks, (Words{"", "3"}));
  EXPECT_EQ(step.step, 1);
  EXPECT_EQ(step.signal, 0);
}

TEST(ScancelSteps, SendsSignalsToStepsOrScripts) {
  const auto only = [](const Words& words) {
    const auto questions = asked(words);
    const auto* signal = std::get_if<SignalJobs>(&questions.at(0));
    EXPECT_NE(signal, nullptr);
    return signal != nullptr ? *signal : SignalJobs{};
  };
  const SignalJobs steps = only({"--signal=USR1", "12"});
  EXPECT_EQ(steps.signal, SIGUSR1);
  EXPECT_EQ(steps.step, -1);
  EXPECT_TRUE(steps.to_steps && !steps.to_batch);
  const SignalJobs script = only({"-b", "-s", "TERM", "12"});
  EXPECT_TRUE(!script.to_steps && script.to_batch && !script.to_children);
  const SignalJobs full = only({"--full", "--signal", "SIGINT", "12"});
  EXPECT_TRUE(full.to_steps && full.to_batch && full.to_children);
  EXPECT_EQ(only({"-b", "12"}).signal, SIGKILL);
  EXPECT_EQ(only({"-sUSR2", "12.0"}).step, 0);
  // As in Slurm, SIGKILL to a whole job is its end.
  EXPECT_TRUE(std::holds_alternative<ActOnJobs>(asked({"-s", "KILL", "12"}).at(0)));
  EXPECT_EQ(only({"-s", "9", "12.0"}).signal, 0);
}

TEST(Scancel, takes_filters_as_letters_words_and_variables) {
  EXPECT_FALSE(looks_first(request_of({"17"})));
  EXPECT_FALSE(looks_first(request_of({"-Q", "-v", "--clusters=all", "17"})));
  for (const Words& words : std::vector<Words>{{"-u", "bob"},
                                               {"--me"},
                                               {"-nx"},
                                               {"--jobname=x"},
                                               {"-tPD"},
                                               {"-Aphys"},
                                               {"-p", "gpu"},
                                               {"-q", "a"},
                                               {"-R", "r"},
                                               {"-w", "n[1-2]"},
                                               {"--wckey=k"}})
    EXPECT_TRUE(looks_first(request_of(words))) << words[0];
  EXPECT_EQ(request_of({"--me"}).meant.users, Words{"ada"});
  EXPECT_EQ(request_of({"--stat", "R,PENDING", "-i", "17"}).meant.states->size(), 2U);
  const Words variables = {"SCANCEL_USER=bob", "SCANCEL_NAME=a,b", "SCANCEL_FULL=1"};
  const ScancelRequest request = request_of({"-u", "eve"}, variables);
  EXPECT_EQ(request.meant.users, Words{"eve"});  // the command line beats them
  EXPECT_EQ(request.meant.names, (Words{"a", "b"}));
  EXPECT_TRUE(request.full);
}

TEST(Scancel, refuses_in_slurms_words) {
  EXPECT_EQ(refused({}), "scancel: error: No job identification provided\n");
  EXPECT_EQ(refused({"abc"}), "scancel: error: Invalid job id abc\n");
  EXPECT_EQ(refused({"-s", "FOO", "1"}), "Unknown job signal: FOO\n");
  EXPECT_EQ(refused({"-u", "nobody"}), "scancel: error: Invalid user name: nobody\n");
  EXPECT_EQ(refused({"--nosuch"}),
            "scancel: unrecognized option '--nosuch'\n"
            "Try \"scancel --help\" for more information\n");
  EXPECT_EQ(refused({"-t", "CD"}),
            "scancel: error: Invalid job state specified: CD\n"
            "scancel: error: Valid job states are PENDING, RUNNING, and SUSPENDED\n");
}

TEST(Scancel, means_those_of_a_list_that_its_filters_let_through) {
  std::vector<JobView> jobs;
  for (const auto& [id, name, key] : {std::tuple{1, "a", "k"}, {2, "b", "k"}, {3, "a", ""}}) {
    JobView& view = jobs.emplace_back();
    JobSpec spec;
    spec.name = name;
    spec.wckey = key;
    view.job.spec = spec;
    view.job.id = JobId{id};
  }
  const auto meant = [&](const Words& words) {
    std::string ids;
    for (const JobView& view : jobs_meant(request_of(words), jobs))
      ids += std::to_string(view.job.id.value) + " ";
    return ids;
  };
  EXPECT_EQ(meant({"-n", "a"}), "1 3 ");
  EXPECT_EQ(meant({"--wckey=k"}), "1 2 ");
  EXPECT_EQ(meant({"-n", "a", "3"}), "3 ");
  EXPECT_EQ(meant({"-n", "c"}), "");
}

TEST(Scancel, says_nothing_when_there_was_nothing_left_to_end) {
  const std::vector<Acted::Outcome> outcomes = {
      {"17", "is cancelled", {}},
      {"18", "", Refusal{"there is no job 18 in the queue", ""}},
      {"19", "", Refusal{"job 19 has ended", ""}}};
  const auto shown = [&](const Words& words) { return show_scancel(request_of(words), outcomes); };
  EXPECT_EQ(shown({"17"}).err + shown({"17"}).out, "");
  EXPECT_EQ(shown({"17"}).exit_code, 0);
  EXPECT_EQ(shown({"-v", "17"}).err,
            "scancel: error: Kill job error on job id 18: Invalid job id specified\n"
            "scancel: error: Kill job error on job id 19: Job/step already completing or "
            "completed\n");
  EXPECT_EQ(shown({"-v", "17"}).exit_code, 0);
  EXPECT_EQ(shown({"-s", "USR1", "17"}).exit_code, 1);  // a signal did not arrive
  EXPECT_EQ(shown({"-Q", "-s", "USR1", "17"}).exit_code, 0);
}

TEST(Scancel, tells_what_others_refuse_and_what_it_does) {
  const std::vector<Acted::Outcome> outcomes = {{"18", "", Refusal{"job 18 belongs to bob", ""}},
                                                {"19.0", "", Refusal{"no such step", ""}}};
  const Shown shown = show_scancel(request_of({"18"}), outcomes);
  EXPECT_EQ(shown.err,
            "scancel: error: Kill job error on job id 18: Access/permission denied\n"
            "scancel: error: Kill job error on job step id 19.0: no such step\n");
  EXPECT_EQ(shown.exit_code, 1);
  const ScancelRequest told = request_of({"-v", "18", "19_4", "20.1"});
  EXPECT_EQ(told_cancel(told, jobs_named(told)),
            "scancel: Terminating job 18\nscancel: Terminating job 19_4\n"
            "scancel: Terminating step 20.1\n");
}

TEST(RefusedWords, are_slurms_where_it_has_some) {
  const auto words = [](const std::string& fact) { return slurm_words({fact, ""}); };
  EXPECT_EQ(words("there is no partition \"x\""), "Invalid partition name specified");
  EXPECT_EQ(slurm_prelude({"there is no partition \"x\"", ""}), "invalid partition specified: x");
  EXPECT_EQ(words("Invalid account or account/partition combination specified: you are in none"),
            "Invalid account or account/partition combination specified");
  EXPECT_EQ(words("this cluster can never run it: asks for a node of the cluster with feature x; "
                  "there is none"),
            "Invalid feature specification");
  EXPECT_EQ(words("this cluster can never run it: asks for 9 nodes"),
            "Requested node configuration is not available");
  EXPECT_EQ(words("something else"), "something else");
}

}  // namespace
}  // namespace cox
