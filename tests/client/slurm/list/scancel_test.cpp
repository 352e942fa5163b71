// Tests the questions that scancel asks for its words and variables, and what it prints of the
// outcomes.
#include "client/slurm/list/scancel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>

#include "client/listing.h"
#include "client/slurm/text/refused_words.h"

namespace cox {
namespace {

using Words = std::vector<std::string>;

Surroundings around(Words environment = {}) {
  Surroundings here{std::move(environment), "ada", "n1", {}};
  here.user_exists = [](const std::string& user) { return user != "nobody"; };
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

TEST(ScancelSteps, EndsJobsAndStepsTogether) {
  const auto questions = asked({"12", "13.1", "14_3.1,15"});
  ASSERT_EQ(questions.size(), 2U);
  EXPECT_EQ(std::get<ActOnJobs>(questions[0]).ids, (std::vector{JobId{12}, JobId{15}}));
  const auto& step = std::get<SignalJobs>(questions[1]);
  EXPECT_EQ(step.ids, (std::vector{JobId{13}, JobId{14}}));
  EXPECT_EQ(step.tasks, (Words{"", "3"}));
  EXPECT_EQ(step.step, 1);
  EXPECT_EQ(step.signal, 0);
}

TEST(ScancelSteps, EndsJobsOfCrontabsOnlyWithCron) {
  const auto verb_of = [](const ScancelRequest& request) {
    return std::get<ActOnJobs>(cancel_questions(request, jobs_named(request)).at(0)).verb;
  };
  EXPECT_EQ(verb_of(request_of({"12"})), JobVerb::Cancel);
  EXPECT_EQ(verb_of(request_of({"--cron", "12"})), JobVerb::CancelCron);
  EXPECT_EQ(verb_of(request_of({"-c", "12"})), JobVerb::CancelCron);
  EXPECT_EQ(verb_of(request_of({"12"}, {"SCANCEL_CRON=1"})), JobVerb::CancelCron);
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
  // SIGKILL to a whole job cancels it, as in Slurm.
  EXPECT_TRUE(std::holds_alternative<ActOnJobs>(asked({"-s", "KILL", "12"}).at(0)));
  EXPECT_EQ(only({"-s", "9", "12.0"}).signal, SIGKILL);
}

TEST(Scancel, accepts_filters_as_letters_words_and_variables) {
  EXPECT_FALSE(needs_job_list(request_of({"17"})));
  EXPECT_FALSE(needs_job_list(request_of({"-Q", "-v", "--clusters=all", "17"})));
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
    EXPECT_TRUE(needs_job_list(request_of(words))) << words[0];
  EXPECT_EQ(request_of({"--me"}).filters.users, Words{"ada"});
  EXPECT_EQ(request_of({"--stat", "R,PENDING", "-i", "17"}).filters.states->size(), 2U);
  const Words variables = {"SCANCEL_USER=bob", "SCANCEL_NAME=a,b", "SCANCEL_FULL=True"};
  const ScancelRequest request = request_of({"-u", "eve"}, variables);
  EXPECT_EQ(request.filters.users, Words{"eve"});  // the command line overrides the variables
  EXPECT_EQ(request.filters.names, (Words{"a", "b"}));
  EXPECT_TRUE(request.full);
}

TEST(Scancel, refuses_in_slurms_words) {
  EXPECT_EQ(refused({}), "scancel: error: No job identification provided\n");
  EXPECT_EQ(refused({"abc"}),
            "scancel: error: Invalid job id abc\n"
            "scancel: error: \"abc\" is not a job id; write a number like 17, a task as 17_4, "
            "several as 17_[1-3,7]\n");
  EXPECT_EQ(refused({"16", "17+1"}),
            "scancel: error: Invalid job id 17+1\n"
            "scancel: error: \"17+1\" is a component, and only a whole job can be named here; name "
            "the job: 17\n");
  EXPECT_EQ(refused({"-s", "FOO", "1"}), "Unknown job signal: FOO\n");
  EXPECT_EQ(refused({"-u", "nobody"}), "scancel: error: Invalid user name: nobody\n");
  EXPECT_EQ(refused({"--nosuch"}),
            "scancel: unrecognized option '--nosuch'\n"
            "Try \"scancel --help\" for more information\n");
  EXPECT_EQ(refused({"-t", "CD"}),
            "scancel: error: Invalid job state specified: CD\n"
            "scancel: error: Valid job states are PENDING, RUNNING, and SUSPENDED\n");
}

TEST(Scancel, cancels_the_listed_jobs_that_match_its_filters) {
  std::vector<JobView> jobs;
  for (const auto& [id, name, key] : {std::tuple{1, "a", "k"}, {2, "b", "k"}, {3, "a", ""}}) {
    JobView& view = jobs.emplace_back();
    JobSpec spec;
    spec.name = name;
    spec.wckey = key;
    view.job.spec = spec;
    view.job.id = JobId{id};
  }
  const auto matching = [&](const Words& words) {
    std::string ids;
    for (const JobView& view : select_jobs(request_of(words), jobs))
      ids += std::to_string(view.job.id.value) + " ";
    return ids;
  };
  EXPECT_EQ(matching({"-n", "a"}), "1 3 ");
  EXPECT_EQ(matching({"--wckey=k"}), "1 2 ");
  EXPECT_EQ(matching({"-n", "a", "3"}), "3 ");
  EXPECT_EQ(matching({"-n", "c"}), "");
}

std::vector<JobView> a_list() {
  std::vector<JobView> jobs(3);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    JobSpec spec;
    spec.name = "fit";
    spec.user_name = i == 2 ? "bob" : "ada";
    jobs[i].job.spec = spec;
    jobs[i].job.id = JobId{static_cast<std::int64_t>(12 + i)};
    jobs[i].job.state = JobState::Running;
    jobs[i].partition = "main";
  }
  jobs[1].job.array_job = JobId{13};
  jobs[1].job.array_task = 4;
  return jobs;
}

// Returns the requests that scancel sends once it has the list of jobs, as --verbose prints them.
std::string selected_from_list(const Words& words) {
  const ScancelRequest request = request_of(words);
  SelectedJobs selected;
  for (const JobView& view : select_jobs(request, a_list()))
    for (const std::int32_t step : selected_steps(request, view.job))
      add_row(selected, view.job, step);
  ScancelRequest verbose = request;
  verbose.filters.verbose = 1;
  return cancel_text(verbose, selected);
}

TEST(ScancelSteps, CancelsASingleStepAndNotItsJob) {
  EXPECT_EQ(selected_from_list({"--me", "12.3"}), "scancel: Terminating step 12.3\n");
  EXPECT_EQ(selected_from_list({"-i", "12.3,12.0", "14"}),
            "scancel: Terminating step 12.0\nscancel: Terminating step 12.3\n"
            "scancel: Terminating job 14\n");
  EXPECT_EQ(selected_from_list({"-tR", "13_4.1", "14.0"}),
            "scancel: Terminating step 13_4.1\nscancel: Terminating step 14.0\n");
  EXPECT_EQ(selected_from_list({"-u", "ada", "-s", "USR1", "12.3", "14.0"}),
            "scancel: Signal 10 to step 12.3\n");
  EXPECT_EQ(selected_from_list({"--me", "12.3", "12"}), "scancel: Terminating job 12\n");
  EXPECT_EQ(selected_from_list({"-n", "fit", "-u", "bob"}), "scancel: Terminating job 14\n");
  EXPECT_EQ(cancel_prompt(a_list()[1], 3), "Cancel step_id=13_4.3 name=fit partition=main [y/n]? ");
  EXPECT_EQ(cancel_prompt(a_list()[0], -1), "Cancel job_id=12 name=fit partition=main [y/n]? ");
}

TEST(Scancel, reports_ids_that_are_not_in_the_list) {
  const auto shown = [](const Words& words) { return refuse_unknown(request_of(words), a_list()); };
  const std::string begin = "scancel: error: Kill job error on job ";
  const std::string end = ": Invalid job id specified\n";
  EXPECT_EQ(shown({"-u", "ada", "99", "12", "98.1"}).err,
            begin + "id 99" + end + begin + "step id 98.1" + end);
  EXPECT_EQ(shown({"-u", "ada", "99"}).exit_code, 1);
  EXPECT_EQ(shown({"--me", "13_[4,6-7]", "12_1"}).err,
            begin + "id 13_[6-7]" + end + begin + "id 12_1" + end);
  EXPECT_EQ(shown({"-Q", "--me", "99"}).err, "");
  EXPECT_EQ(shown({"-Q", "--me", "99"}).exit_code, 1);
  // Job 14 exists, though -u excludes it, so scancel reports no unknown id: its request for the
  // list of jobs has only the ids, not the filters.
  EXPECT_EQ(shown({"-u", "ada", "13", "14"}).err, "");
  EXPECT_EQ(shown({"-u", "ada", "13", "14"}).exit_code, 0);
  const ListJobs ask = ask_scancel(request_of({"-u", "ada", "-p", "gpu", "-tPD", "14"}));
  EXPECT_EQ(ask.ids, std::vector{JobId{14}});
  EXPECT_TRUE(ask.user_name.empty() && ask.partition.empty());
  EXPECT_NE(std::ranges::find(ask.states, JobState::Running), ask.states.end());
  EXPECT_EQ(std::ranges::find(ask.states, JobState::Completed), ask.states.end());
  EXPECT_EQ(ask_scancel(request_of({"-u", "ada"})).user_name, "ada");
  const ListJobs reached = ask_scancel(request_of({"-u", "ada", "-s", "USR1"}));
  EXPECT_EQ(reached.states, std::vector{JobState::Running});
}

TEST(Scancel, says_under_verbose_that_no_job_matches_its_filters) {
  const auto printed = [](const Words& words) { return no_match_text(request_of(words)); };
  const std::string begin = "scancel: error: No active jobs match ALL job filters, including: ";
  EXPECT_EQ(printed({"-v", "--name=fit"}), begin + "job_name=fit\n");
  EXPECT_EQ(printed({"-v", "-A", "a,b", "-n", "fit", "-w", "n[1-2]", "-p", "gpu", "-q", "high",
                     "-R", "r", "-t", "PD", "-u", "ada", "--wckey=k"}),
            begin +
                "account=a,b job_name=fit nodelist=n[1-2] partition=gpu qos=high reservation=r " +
                "state=PENDING user_name=ada wckey=k\n");
  EXPECT_EQ(printed({"--name=fit"}), "");
  EXPECT_EQ(printed({"-v", "12"}), "");
}

TEST(Scancel, reads_flags_from_variables_as_slurm_does) {
  const auto flags = [](const Words& environment) {
    const ScancelRequest request = request_of({"12"}, environment);
    return std::string(request.batch_script ? "b" : "") + (request.full ? "f" : "") +
           (request.interactive ? "i" : "") + (request.filters.verbose == 1 ? "v" : "") +
           request.filters.notes;
  };
  EXPECT_EQ(flags({"SCANCEL_BATCH=true", "SCANCEL_FULL=T", "SCANCEL_INTERACTIVE=TRUE",
                   "SCANCEL_VERBOSE=t"}),
            "bfiv");
  EXPECT_EQ(flags({"SCANCEL_BATCH=false", "SCANCEL_FULL=F", "SCANCEL_INTERACTIVE=False",
                   "SCANCEL_VERBOSE=f", "SCANCEL_HURRY=1", "SCANCEL_CTLD=x"}),
            "");
  EXPECT_EQ(flags({"SCANCEL_BATCH=1", "SCANCEL_FULL=t", "SCANCEL_VERBOSE=yes"}),
            "fscancel: error: Unrecognized SCANCEL_BATCH value: 1\n"
            "scancel: error: Unrecognized SCANCEL_VERBOSE value: yes\n");
  const auto wrong = read_scancel_request({}, around({"SCANCEL_FULL=0"}));
  EXPECT_EQ(std::get<Shown>(wrong).err,
            "scancel: error: Unrecognized SCANCEL_FULL value: 0\n"
            "scancel: error: No job identification provided\n");
}

TEST(Scancel, says_in_the_help_that_job_ids_array_tasks_and_steps_are_accepted) {
  const auto help = read_scancel_request({"--help"}, around());
  const std::string out = std::get<Shown>(help).out;
  EXPECT_TRUE(out.starts_with("Usage: scancel [OPTIONS] [job_id[_array_id][.step_id]]\n\n")) << out;
}

TEST(Scancel, prints_nothing_if_the_jobs_have_ended_already) {
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
  // Unlike a cancel, a signal to an ended job is an error.
  EXPECT_EQ(shown({"-s", "USR1", "17"}).exit_code, 1);
  EXPECT_EQ(shown({"-Q", "-s", "USR1", "17"}).exit_code, 0);
}

TEST(Scancel, repeats_a_signal_only_while_no_job_has_received_it) {
  const Acted::Outcome waits = {"18", "", Refusal{std::string(job_is_pending) + ": job 18", ""}};
  const Acted::Outcome sent = {"17", "sent signal 10", {}};
  const ScancelRequest signal = request_of({"-s", "USR1", "17"});
  EXPECT_TRUE(may_repeat(signal, {waits, waits}));
  EXPECT_FALSE(may_repeat(signal, {sent, waits})) << "job 17 would receive the signal twice";
  EXPECT_FALSE(may_repeat(signal, {}));
  EXPECT_FALSE(may_repeat(request_of({"17"}), {waits}));
}

TEST(Scancel, reports_refusals_and_under_verbose_its_actions) {
  const std::vector<Acted::Outcome> outcomes = {{"18", "", Refusal{"job 18 belongs to bob", ""}},
                                                {"19.0", "", Refusal{"no such step", ""}}};
  const Shown shown = show_scancel(request_of({"18"}), outcomes);
  EXPECT_EQ(shown.err,
            "scancel: error: Kill job error on job id 18: Access/permission denied\n"
            "scancel: error: Kill job error on job step id 19.0: no such step\n");
  EXPECT_EQ(shown.exit_code, 1);
  const ScancelRequest verbose = request_of({"-v", "18", "19_4", "20.1"});
  EXPECT_EQ(cancel_text(verbose, jobs_named(verbose)),
            "scancel: Terminating job 18\nscancel: Terminating job 19_4\n"
            "scancel: Terminating step 20.1\n");
}

TEST(RefusedWords, have_the_error_text_of_slurm_if_slurm_has_one) {
  const auto words = [](const std::string& fact) { return slurm_words({fact, ""}); };
  EXPECT_EQ(words("there is no partition \"x\""), "Invalid partition name specified");
  EXPECT_EQ(slurm_prelude({"there is no partition \"x\"", ""}), "invalid partition specified: x");
  EXPECT_EQ(words("Invalid account or account/partition combination specified: you are in none"),
            "Invalid account or account/partition combination specified");
  EXPECT_EQ(words("this cluster can never run it: asks for a node with feature x; no node of the "
                  "cluster has it"),
            "Invalid feature specification");
  EXPECT_EQ(words("this cluster can never run it: asks for 9 nodes"),
            "Requested node configuration is not available");
  EXPECT_EQ(words("something else"), "something else");
}

}  // namespace
}  // namespace cox
