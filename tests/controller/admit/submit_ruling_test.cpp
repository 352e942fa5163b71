// Tests submit rules and submit_program in a controller: a submission is answered only after the
// program, refused jobs are never accepted, and repeated submissions get the same reply.
#include "controller/admit/submit_ruling.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "controller/admit/submit_program_text.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

using Json = nlohmann::json;

SubmitRule rule_of(std::vector<std::string> match, std::vector<std::string> set,
                   std::string refuse = "") {
  SubmitRule rule;
  rule.name = "r";
  for (const std::string& text : match) rule.match.push_back(*parse_submit_condition(text));
  for (const std::string& text : set) rule.set.push_back(*parse_submit_setting(text));
  rule.refuse = std::move(refuse);
  return rule;
}

class SubmitRulingOf : public testing::Test, public Bench {
 protected:
  SubmitRulingOf() { set_submit_program("/judge"); }
  void set_submit_program(const std::string& program) {
    config.submit_program = program;
    restart();
    node("n1", 4);
  }
  // Sends a submission and returns the number of the request. The reply follows once the site's
  // submit program has ended.
  std::int64_t send(const std::string& request_id, const std::string& name = "train",
                    const PeerName& peer = "client", std::uint32_t uid = 1000) {
    SubmitJob s;
    s.request_id = request_id;
    s.spec.name = name;
    s.spec.command = {"train"};
    s.spec.work_dir = "/home/u";
    s.spec.nodes = s.spec.tasks = 1;
    return send_request(std::move(s), peer, uid);
  }
  std::int64_t send_request(decltype(Request::body) body, const PeerName& peer = "client",
                            std::uint32_t uid = 1000) {
    Request request{++requests, std::move(body)};
    controller->receive({peer, {Caller::Kind::Client, "", user, uid, uid}, Message{request}}, now);
    settle();
    return request.number;
  }
  std::vector<SubmitRun> runs() { return controller->take<SubmitRun>(); }
  void answered(const SubmitRun& run, const std::string& text, const std::string& error = "") {
    controller->submit_run_ended({run.ticket, {text, error}});
    settle();
  }
  Reply reply(std::int64_t number) {
    for (const auto& [peer, one] : take<Reply>())
      if (one.number == number) return one;
    return {};
  }
  std::size_t jobs() const { return controller->cluster().jobs().all().size(); }
};

TEST_F(SubmitRulingOf, ASubmissionIsAnsweredAfterTheProgramHasDecided) {
  const auto number = send("one");
  EXPECT_TRUE(take<Reply>().empty());
  EXPECT_EQ(jobs(), 0u);
  const auto asked = runs();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].until, now.boot + config.submit_program_timeout);
  const Json input = Json::parse(asked[0].input);
  EXPECT_EQ(input["user"]["name"], "ada");
  EXPECT_EQ(input["user"]["uid"], 1000);
  EXPECT_EQ(input["dry_run"], false);
  ASSERT_EQ(input["jobs"].size(), 1u);
  EXPECT_EQ(input["jobs"][0]["name"], "train");
  EXPECT_FALSE(input["jobs"][0].contains("account")) << "it was not asked for";
  answered(asked[0], R"({"jobs": [{"comment": "seen", "nice": 7}], "note": "welcome"})");
  const auto submitted = std::get<Submitted>(reply(number).body);
  EXPECT_EQ(submitted.note, "welcome");
  EXPECT_EQ(job(submitted.id).job.spec->comment, "seen");
  EXPECT_EQ(job(submitted.id).job.spec->nice, 7);
  EXPECT_TRUE(runs().empty()) << "the program runs once";
}

TEST_F(SubmitRulingOf, AJobThatTheProgramRefusesIsNotSubmitted) {
  const auto number = send("one");
  answered(runs().at(0), R"({"refuse": "Not on Sundays."})");
  EXPECT_EQ(refusal_of(reply(number)), "Not on Sundays.");
  EXPECT_EQ(jobs(), 0u);
}

TEST_F(SubmitRulingOf, ARepeatedSubmissionStartsNoSecondRunAndGetsTheSameReply) {
  const auto first = send("one");
  const auto second = send("one", "train", "client again");
  const auto asked = runs();
  ASSERT_EQ(asked.size(), 1u);
  answered(asked[0], "{}");
  const auto replies = take<Reply>();
  ASSERT_EQ(replies.size(), 2u);
  EXPECT_EQ(std::get<Submitted>(replies[0].second.body).id,
            std::get<Submitted>(replies[1].second.body).id);
  EXPECT_EQ(replies[0].second.number + replies[1].second.number, first + second);
  EXPECT_EQ(jobs(), 1u);
  const auto third = send("one");
  EXPECT_TRUE(std::get<Submitted>(reply(third).body).again);
  EXPECT_TRUE(runs().empty()) << "the program does not run again for an accepted job";
}

TEST_F(SubmitRulingOf, AJobIsRefusedIfTheProgramFailsOrItsAnswerIsInvalid) {
  for (const auto& [text, error, part] :
       {std::tuple{"", "exit code 1: no such file", "exit code 1: no such file"},
        std::tuple{"", "", "not a JSON object"}, std::tuple{"hello", "", "not a JSON object"},
        std::tuple{"[]", "", "not a JSON object"},
        std::tuple{R"({"jobs": []})", "", "not a list of"},
        std::tuple{R"({"jobs": [{"colour": 1}]})", "", "no field"},
        std::tuple{R"({"jobs": [{"uid": 0}]})", "", "cannot be changed"},
        std::tuple{R"({"jobs": [{"nodes": "2"}]})", "", "a number"},
        std::tuple{R"({"accept": true})", "", "accept"}}) {
    const auto number = send("");
    answered(runs().at(0), text, error);
    const std::string fact = refusal_of(reply(number));
    EXPECT_NE(fact.find("submit_program failed: "), std::string::npos) << fact;
    EXPECT_NE(fact.find(part), std::string::npos) << fact;
    EXPECT_NE(fact.find("nothing was submitted"), std::string::npos) << fact;
  }
  EXPECT_EQ(jobs(), 0u);
}

TEST_F(SubmitRulingOf, SubmitWithoutProgramAcceptsTheJobIfTheProgramFails) {
  config.submit_without_program = true;
  set_submit_program("/judge");
  const auto number = send("one");
  answered(runs().at(0), "", "it did not end within 5 s");
  const auto submitted = std::get<Submitted>(reply(number).body);
  EXPECT_EQ(jobs(), 1u);
  std::string log_text;
  for (const LogLine& line : controller->take<LogLine>()) log_text += line.text + "\n";
  EXPECT_NE(log_text.find("submit_program failed: it did not end within 5 s; the job was accepted"),
            std::string::npos)
      << log_text;
  EXPECT_EQ(job(submitted.id).job.spec->name, "train");
}

TEST_F(SubmitRulingOf, AfterATakeoverTheAnswerOfAnOldRunIsIgnored) {
  send("one");
  const auto old = runs().at(0);
  set_submit_program("/judge");
  answered(old, "{}");
  EXPECT_EQ(jobs(), 0u);
  const auto number = send("one");
  answered(runs().at(0), "{}");
  EXPECT_FALSE(std::get<Submitted>(reply(number).body).again);
  EXPECT_EQ(jobs(), 1u);
}

TEST_F(SubmitRulingOf, TheWaitingSubmissionsOfAUserAreLimited) {
  for (std::size_t i = 0; i < limits::submit_waiting_per_user_max; ++i) send("");
  EXPECT_TRUE(take<Reply>().empty());
  const auto number = send("");
  EXPECT_NE(refusal_of(reply(number)).find("submissions already wait"), std::string::npos);
  const auto waiting = runs();
  EXPECT_EQ(waiting.size(), limits::submit_waiting_per_user_max);
  answered(waiting[0], "{}");
  send("");
  EXPECT_EQ(runs().size(), 1u) << "there is room again";
}

TEST_F(SubmitRulingOf, AUserWhoMayNotSubmitStartsNoProgram) {
  const auto number = send("one", "train", "client", 7);
  EXPECT_TRUE(runs().empty());
  EXPECT_NE(refusal_of(reply(number)).find("you are uid 7"), std::string::npos);
}

TEST_F(SubmitRulingOf, SubmitRulesApplyBeforeTheProgramAndToTheRealUser) {
  config.submit_rules = {rule_of({"user_name=eve"}, {}, "Not you."),
                         rule_of({"user_name=ada"}, {"comment=checked"})};
  set_submit_program("/judge");
  SubmitJob s;
  s.spec.command = {"train"};
  s.spec.work_dir = "/home/u";
  s.spec.nodes = s.spec.tasks = 1;
  s.spec.user_name = "eve";
  const auto number = send_request(s);
  const auto asked = runs();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(Json::parse(asked[0].input)["jobs"][0]["comment"], "checked");
  answered(asked[0], "{}");
  EXPECT_EQ(job(std::get<Submitted>(reply(number).body).id).job.spec->comment, "checked");
  user = "eve";
  s.spec.user_name = "ada";
  EXPECT_EQ(refusal_of(reply(send_request(s))), "Not you.");
  EXPECT_TRUE(runs().empty()) << "the program does not run if a rule refuses";
}

TEST_F(SubmitRulingOf, JobsOfOneRequestAreGivenToTheProgramTogether) {
  SubmitJobs many;
  many.request_id = "many";
  many.specs.resize(2);
  for (JobSpec& spec : many.specs) {
    spec.command = {"train"};
    spec.work_dir = "/home/u";
    spec.nodes = spec.tasks = 1;
  }
  const auto number = send_request(many);
  const auto asked = runs();
  ASSERT_EQ(asked.size(), 1u);
  answered(asked[0], R"({"jobs": [{}, {"comment": "second"}]})");
  const auto submitted = std::get<SubmittedJobs>(reply(number).body);
  EXPECT_EQ(job(submitted.first).job.spec->comment, "");
  EXPECT_EQ(job(JobId{submitted.first.value + 1}).job.spec->comment, "second");
}

TEST_F(SubmitRulingOf, AChangeOfAPendingJobMustPassTheRules) {
  config.submit_rules = {rule_of({"nice<0"}, {}, "Nobody goes first.")};
  set_submit_program("");
  const JobId id = submit({.nodes = 1, .with = [](JobSpec& s) { s.hold = true; }});
  const auto change = [&](const std::string& name, const std::string& value) {
    UpdateJobs update;
    update.ids = {id};
    update.names = {name};
    update.values = {value};
    return std::get<Acted>(ask(update).body).outcomes.at(0).refused;
  };
  EXPECT_EQ(change("Nice", "-5")->fact, "Nobody goes first.");
  EXPECT_EQ(change("Nice", "5"), std::nullopt);
}

// If rules could set fields in a change, they could undo what an operator has changed, or set
// fields that a change does not store.
TEST_F(SubmitRulingOf, RulesSetNothingWhenAPendingJobIsChanged) {
  set_submit_program("");
  const JobId id = submit({.nodes = 1, .with = [](JobSpec& s) { s.hold = true; }});
  config.submit_rules = {rule_of({}, {"comment=ruled", "requeue_on_timeout=true"})};
  restart();
  UpdateJobs update;
  update.ids = {id};
  update.names = {"Nice"};
  update.values = {"5"};
  ASSERT_EQ(std::get<Acted>(ask(update).body).outcomes.at(0).refused, std::nullopt);
  EXPECT_EQ(job(id).job.spec->nice, 5);
  EXPECT_EQ(job(id).job.spec->comment, "");
  EXPECT_FALSE(job(id).job.spec->requeue_on_timeout);
}

TEST_F(SubmitRulingOf, ATestOfAJobShowsWhatRulesAndProgramDecideAndSubmitsNothing) {
  config.submit_rules = {rule_of({}, {"comment=checked"})};
  set_submit_program("/judge");
  TestJob test;
  test.spec.command = {"train"};
  test.spec.work_dir = "/home/u";
  test.spec.nodes = test.spec.tasks = 1;
  test.rules_only = true;
  auto number = send_request(test);
  const auto asked = runs();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(Json::parse(asked[0].input)["dry_run"], true);
  answered(asked[0], R"({"refuse": "No."})");
  auto tested = std::get<JobTested>(reply(number).body);
  EXPECT_EQ(tested.rules,
            (std::vector<std::string>{"submit_rule r: sets comment: (none) -> checked",
                                      "submit_program: refuses the job"}));
  EXPECT_EQ(tested.refused->fact, "No.");
  test.rules_only = false;
  number = send_request(test);
  answered(runs().at(0), R"({"refuse": "No."})");
  EXPECT_EQ(refusal_of(reply(number)), "No.");
  number = send_request(test);
  answered(runs().at(0), "{}");
  tested = std::get<JobTested>(reply(number).body);
  EXPECT_TRUE(tested.starts_now);
  EXPECT_EQ(tested.view.job.spec->comment, "checked");
  test.rules_only = true;
  number = send_request(test);
  answered(runs().at(0), R"({"jobs": [{"nice": 7}], "note": "Slow jobs wait longer."})");
  tested = std::get<JobTested>(reply(number).body);
  EXPECT_EQ(tested.rules.back(), "submit_program: the user is shown: Slow jobs wait longer.");
  EXPECT_EQ(jobs(), 0u);
}

TEST_F(SubmitRulingOf, TheProgramReceivesTheComponentsOfAHeterogeneousJob) {
  JobSpec spec;
  spec.components.resize(1);
  spec.components[0].gpus_per_node = 4;
  const Json input = Json::parse(submission_text("c", {}, {&spec, 1}, "#!/bin/sh\n\xff", false));
  EXPECT_EQ(input["jobs"][0]["components"][0]["gpus_per_node"], 4);
}

}  // namespace
}  // namespace cox
