// Tests the times of a submission: when the job may begin and by when it must have ended, and the
// refusals.
#include <gtest/gtest.h>

#include "common/base/limits.h"
#include "common/base/moment_text.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class AdmitMoments : public testing::Test, public Bench {
 protected:
  AdmitMoments() { node("n1", 2); }
  std::string refusal(const std::function<void(JobSpec&)>& with) {
    SubmitJob s;
    s.request_id = "r" + std::to_string(++requests);
    s.spec.command = {"train"};
    s.spec.work_dir = "/home/u";
    with(s.spec);
    return refusal_of(ask(s));
  }
  Wall in(Milliseconds time) const { return now.wall + time; }
};

TEST_F(AdmitMoments, BeginAndDeadlineAreNotTooFarAwayAndBeginIsAfter1970) {
  const Milliseconds far = std::chrono::seconds{limits::moment_seconds_max};
  const auto too_far = [](const char* option, Wall moment) {
    return std::string(option) + " is " + std::to_string(to_ms(moment)) +
           " ms since 1970; it must be after 1970 and less than " +
           std::to_string(limits::moment_seconds_max) + " s from now";
  };
  const Wall latest = in(far)-Milliseconds{1};
  EXPECT_EQ(refusal([&](JobSpec& s) { s.begin = latest; }), "");
  EXPECT_EQ(refusal([&](JobSpec& s) { s.begin = in(far); }), too_far("--begin", in(far)));
  EXPECT_EQ(refusal([&](JobSpec& s) { s.deadline = latest; }), "");
  EXPECT_EQ(refusal([&](JobSpec& s) { s.deadline = in(far); }), too_far("--deadline", in(far)));
  const Wall before = wall_from_ms(-1);
  EXPECT_EQ(refusal([&](JobSpec& s) { s.begin = before; }), too_far("--begin", before));
  EXPECT_EQ(refusal([&](JobSpec& s) { s.begin = wall_from_ms(1); }), "") << "it begins at once";
}

TEST_F(AdmitMoments, ADeadlineMustBeAfterTheBeginTimeAndLeaveRoomForTheTimeLimit) {
  const std::string over = "--deadline is not after the time at which the job may begin";
  EXPECT_EQ(refusal([&](JobSpec& s) { s.deadline = in(Milliseconds{-1'000}); }), over);
  EXPECT_EQ(refusal([&](JobSpec& s) {
              s.begin = in(Milliseconds{60'000});
              s.deadline = in(Milliseconds{60'000});
              s.time_limit_s = 60;
            }),
            over);
  const auto an_hour_from_begin = [&](std::int64_t time_limit_s, std::int64_t time_min_s = 0) {
    return refusal([&](JobSpec& s) {
      s.begin = in(Milliseconds{60'000});
      s.deadline = in(Milliseconds{3'660'000});
      s.time_limit_s = time_limit_s;
      s.time_min_s = time_min_s;
    });
  };
  EXPECT_EQ(an_hour_from_begin(3'600), "");
  EXPECT_EQ(an_hour_from_begin(3'601),
            "it cannot end by its deadline: 01:00:00 is left for a time limit of 01:00:01");
  EXPECT_EQ(an_hour_from_begin(3'601, 3'600), "") << "a shorter limit will do";
}

TEST_F(AdmitMoments, ARequeueAtTheTimeLimitNeedsTimeBeforeTheSignal) {
  const auto with = [&](std::int64_t time_limit_s, std::int64_t time_min_s,
                        std::int32_t signal = 10) {
    return refusal([&](JobSpec& s) {
      s.requeue_on_timeout = true;
      s.time_limit_s = time_limit_s;
      s.time_min_s = time_min_s;
      s.signal.number = signal;
      s.signal.seconds_before = 60;
    });
  };
  const std::string again =
      "with --requeue-on-timeout the job would start again and again: its --signal comes 60 s "
      "before a time limit of ";
  EXPECT_EQ(with(61, 0), "");
  EXPECT_EQ(with(60, 0), again + "60 s");
  EXPECT_EQ(with(120, 60), again + "60 s") << "its limit may be lowered to 60 s";
  EXPECT_EQ(with(120, 61), "");
  EXPECT_EQ(with(60, 0, 0), "") << "it has no signal";
  EXPECT_EQ(with(0, 0), "") << "it has no time limit";
  EXPECT_EQ(refusal([](JobSpec& s) {
              s.requeue_on_timeout = true;
              s.requeue = false;
            }),
            "--no-requeue forbids the requeue that --requeue-on-timeout asks for");
  EXPECT_EQ(refusal([](JobSpec& s) { s.requeue = false; }), "");
}

TEST_F(AdmitMoments, AnAllocationIsStoredAsNeverRequeuedAndNamedInteractive) {
  const JobId id = submit({.with = [](JobSpec& s) {
    s.form = JobForm::Allocation;
    s.command = {};
    s.requeue = s.requeue_on_timeout = true;
  }});
  EXPECT_FALSE(job(id).job.spec->requeue);
  EXPECT_FALSE(job(id).job.spec->requeue_on_timeout);
  EXPECT_EQ(job(id).job.spec->name, "interactive");
  const JobId script =
      submit({.with = [](JobSpec& s) { s.form = JobForm::Batch, s.command = {}; }});
  EXPECT_EQ(job(script).job.spec->name, "sbatch");
  EXPECT_TRUE(job(script).job.spec->requeue);
}

}  // namespace
}  // namespace cox
