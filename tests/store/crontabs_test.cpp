// Tests of the suite that runs over both stores (PostgreSQL and memory): crontabs, and the jobs of
// their lines.
#include "tests/store/store_suite.h"

namespace cox::test {
namespace {

TEST_P(StoreSuite, CrontabsAndTheirLinesAreLoadedUntilTheyAreDeleted) {
  Controller controller(*database);
  const auto loaded = [&] { return load(controller.store(), false); };
  EXPECT_TRUE(controller.loaded.crontabs.empty());
  const Job first = a_job(1), second = a_job(2), third = a_job(3);
  Crontab ada{1000, "ada", "# it's \"mine\", {\\}\n\n* * * * * run\n", at(1)};
  const Crontab eve{4'294'967'295, "eve", "", at(2)};
  CronLine line{1000, 2, 3, "0,20,40 * * * 1-5", first.id};
  const CronLine other{1000, 4, 4, "* * * * *", second.id};
  controller.commit({JobAdded{first, {}, {}}, JobAdded{second, {}, {}}, CrontabPut{ada},
                     CrontabPut{eve}, CronLinePut{line}, CronLinePut{other}});
  EXPECT_EQ(loaded().crontabs, (std::vector<Crontab>{ada, eve}));
  EXPECT_EQ(loaded().cron_lines, (std::vector<CronLine>{line, other}));
  line.job = third.id;
  line.schedule = "* * * * *";
  line.last_line = 2;
  ada.text = "x";
  ada.changed = at(9);
  controller.commit({JobAdded{third, {}, {}}, CronLinePut{line}, CronLineRemoved{key_of(other)},
                     CrontabPut{ada}});
  EXPECT_EQ(loaded().crontabs, (std::vector<Crontab>{ada, eve}));
  EXPECT_EQ(loaded().cron_lines, std::vector<CronLine>{line});
  controller.commit(
      {CronLineRemoved{key_of(line)}, CrontabRemoved{1000}, CrontabPut{ada}, CronLinePut{line}});
  EXPECT_EQ(loaded().cron_lines, std::vector<CronLine>{line}) << "the last change in a turn counts";
  controller.commit({CronLineRemoved{key_of(line)}, CrontabRemoved{1000}});
  EXPECT_EQ(loaded().crontabs, std::vector<Crontab>{eve});
  EXPECT_TRUE(loaded().cron_lines.empty());
}

TEST_P(StoreSuite, WrongLinesOfCrontabsAreRejected) {
  Controller controller(*database);
  const Job job = a_job(1);
  const Crontab ada{1000, "ada", "", at(1)};
  controller.commit({JobAdded{job, {}, {}}, CrontabPut{ada}});
  const auto refused = [&](const CronLine& line) {
    return controller.commit_refused({CronLinePut{line}}).sqlstate;
  };
  EXPECT_EQ(refused({1000, 0, 1, "* * * * *", job.id}), "23514");
  EXPECT_EQ(refused({1000, 2, 1, "* * * * *", job.id}), "23514");
  EXPECT_EQ(refused({1000, 1, 1, "", job.id}), "23514");
  EXPECT_EQ(refused({1000, 1, 1, "* * * * *", JobId{9}}), "23503") << "there is no such job";
  EXPECT_EQ(refused({1001, 1, 1, "* * * * *", job.id}), "23503") << "there is no such crontab";
  EXPECT_EQ(controller.commit_refused({CrontabPut{{1000, "ada", "\xff", at(1)}}}).sqlstate,
            "22021");
  EXPECT_EQ(controller.commit_refused({CrontabPut{{1000, "ada", "", Wall{}}}}).sqlstate, "23502");
}

}  // namespace
}  // namespace cox::test
