// Tests the check before a restart of the controller: how its process is run, with a script in its
// place, and what it opens.
#include "controller/io/start_trial.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "common/cluster/unknown_group.h"
#include "common/io/clock.h"
#include "controller/io/postgres/connection_string.h"
#include "controller/io/start_check.h"
#include "tests/patience.h"
#include "tests/store/private_postgres.h"
#include "tests/store/store_bench.h"

namespace cox {
namespace {

namespace fs = std::filesystem;
constexpr std::uint32_t cluster_owner = 1000;

class StartTrialTest : public testing::Test {
 protected:
  StartTrialTest() {
    std::string pattern = (fs::temp_directory_path() / "cox-trial-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    config_.owner_uid = cluster_owner;
    config_.listen_local = "ipc://" + (folder_ / "socket").string();
  }
  ~StartTrialTest() override { fs::remove_all(folder_); }

  std::string program(const std::string& script) const {
    const fs::path path = folder_ / "program";
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    ::chmod(path.c_str(), 0755);
    return path;
  }
  static PeerMessage request(std::int64_t number, std::uint32_t uid = cluster_owner) {
    PeerMessage incoming;
    incoming.peer = "someone";
    incoming.caller.uid = uid;
    incoming.message = Request{number, Reconfigure{}};
    return incoming;
  }
  std::vector<PeerMessage> ends(StartTrial& trial, std::size_t count) {
    std::vector<PeerMessage> all;
    const Boot end = read_clock().boot + patience();
    while (all.size() < count && read_clock().boot < end) {
      for (PeerMessage& one : trial.turn(read_clock().boot)) all.push_back(std::move(one));
      if (all.size() < count) poller_->wait(Milliseconds{100});
    }
    EXPECT_EQ(all.size(), count);
    return all;
  }

  fs::path folder_;
  ControllerConfig config_;
  std::unique_ptr<Poller> poller_ = Poller::create();
};

TEST_F(StartTrialTest, EachRequestWaitsForACheckOfItsOwn) {
  const std::string words = (folder_ / "words").string();
  StartTrial trial(program("echo \"$@\" >>" + words), "/x.toml", config_, *poller_);
  PeerMessage first = request(1);
  PeerMessage copy = request(1);
  PeerMessage second = request(2);
  PeerMessage of_another_user = request(3, cluster_owner + 1);
  EXPECT_TRUE(trial.takes(first, Term{7}, read_clock().boot));
  EXPECT_TRUE(trial.takes(copy, Term{7}, read_clock().boot)) << "and drops it";
  EXPECT_TRUE(trial.takes(second, Term{7}, read_clock().boot));
  EXPECT_FALSE(trial.takes(of_another_user, Term{7}, read_clock().boot));
  for (const PeerMessage& one : ends(trial, 2)) EXPECT_FALSE(one.wrong_settings);
  std::ifstream file(words);
  std::string line;
  int runs = 0;
  for (; std::getline(file, line); ++runs)
    EXPECT_EQ(line, "--check-start --config /x.toml --held-local=" + config_.listen_local +
                        " --led-term=7");
  EXPECT_EQ(runs, 2);
}

TEST_F(StartTrialTest, ARefusalOfTheCheckIsThatOfTheRequest) {
  StartTrial trial(program("echo no port; echo set one; exit 1"), "/x.toml", config_, *poller_);
  PeerMessage incoming = request(1);
  ASSERT_TRUE(trial.takes(incoming, Term{7}, read_clock().boot));
  EXPECT_EQ(ends(trial, 1).at(0).wrong_settings, (Refusal{"no port", "set one"}));
}

TEST_F(StartTrialTest, ACheckThatFailsOrCannotBeStartedRefusesTheRequest) {
  StartTrial failing(program("echo broken >&2; exit 3"), "/x.toml", config_, *poller_);
  PeerMessage incoming = request(1);
  ASSERT_TRUE(failing.takes(incoming, Term{7}, read_clock().boot));
  EXPECT_EQ(ends(failing, 1).at(0).wrong_settings->fact,
            "the check of the settings failed: exit code 3: broken");
  StartTrial lacking(folder_ / "none", "/x.toml", config_, *poller_);
  incoming = request(2);
  ASSERT_TRUE(lacking.takes(incoming, Term{7}, read_clock().boot));
  EXPECT_EQ(ends(lacking, 1).at(0).wrong_settings->fact,
            "cannot start " + (folder_ / "none").string() + ": No such file or directory");
}

TEST_F(StartTrialTest, ACheckThatHangsIsKilledAndRefusesTheRequest) {
  StartTrial trial(program("exec sleep 1000"), "/x.toml", config_, *poller_);
  PeerMessage incoming = request(1);
  ASSERT_TRUE(trial.takes(incoming, Term{7}, read_clock().boot - Milliseconds{25'000}));
  EXPECT_EQ(ends(trial, 1).at(0).wrong_settings->fact,
            "the check of the settings did not end within 25 s");
  incoming = request(2);
  ASSERT_TRUE(trial.takes(incoming, Term{7}, read_clock().boot));
  EXPECT_EQ(trial.drop_all().size(), 1U);
}

class StartCheckTest : public StartTrialTest {
 protected:
  StartCheckTest() {
    config_.database = test::PrivatePostgres::shared().migrated_database();
    config_.checkpoint_root = folder_ / "checkpoints";
    config_.key_dir = folder_;
    EXPECT_TRUE(make_key_files(folder_, "controller").ok());
  }
  std::string fact(const HeldEndpoints& held = {}, Term led = {}) {
    const Failure failure = check_start(config_, held, led);
    EXPECT_TRUE(!failure || !failure->hint.empty());
    return failure ? failure->fact : "it can start";
  }
};

TEST_F(StartCheckTest, OpensTheEndpointsThatTheRunningControllerDoesNotHold) {
  EXPECT_EQ(fact(), "it can start");
  EXPECT_EQ(fact(), "it can start") << "the check leaves no listener behind";
  const auto running = Listener::open({.local_endpoint = config_.listen_local});
  ASSERT_TRUE(running.ok());
  EXPECT_EQ(fact(), "another program listens at " + config_.listen_local);
  EXPECT_EQ(fact({config_.listen_local, ""}), "it can start");
}

TEST_F(StartCheckTest, RefusesAPortInUseUnlessTheRunningControllerHoldsIt) {
  config_.listen_local.clear();
  config_.listen_tcp = "tcp://127.0.0.1:*";
  auto options = listener_options(config_);
  ASSERT_TRUE(options.ok());
  const auto other = Listener::open(*options);
  ASSERT_TRUE(other.ok());
  const std::string held = (*other)->tcp_endpoint();
  config_.listen_tcp = held;
  EXPECT_NE(fact().find("cannot listen at  " + held + ": Address already in use"),
            std::string::npos);
  EXPECT_EQ(fact({"", held}), "it can start");
  config_.listen_tcp = "tcp://*" + held.substr(held.rfind(':'));
  EXPECT_EQ(fact({"", held}), "it can start") << "its own port at another address";
  config_.key_dir = folder_ / "none";
  EXPECT_NE(fact().find((folder_ / "none").string() + "/controller.key"), std::string::npos);
}

TEST_F(StartCheckTest, NeedsTheDatabaseTheProgramsAndTheGroups) {
  config_.partitions.emplace_back().name = "gpu";
  config_.partitions[0].allow_groups = {unknown_group("root")};
  EXPECT_EQ(fact(), "it can start");
  config_.partitions[0].allow_groups = {unknown_group("no-such-group")};
  EXPECT_EQ(fact(),
            "allow_groups in [[partition]] \"gpu\" names the group \"no-such-group\", which this "
            "host lacks");
  config_.mail_program = "/no/such/program";
  EXPECT_EQ(fact(),
            "mail_program in [controller]: cannot run /no/such/program: No such file or directory");
  config_.mail_program.clear();
  config_.partitions.clear();
  config_.database += " dbname=no_such_database";
  EXPECT_NE(fact().find("database in [controller] cannot be used: "), std::string::npos);
}

TEST_F(StartCheckTest, RefusesADatabaseThatIsBehindTheLeader) {
  const std::string another = "database in [controller] names another database than the "
                              "cluster's, or an older copy of it: ";
  EXPECT_EQ(fact({}, Term{7}), another + "no controller has led there, and this controller leads "
                                         "term 7");
  PgServers servers(config_.database);
  const Term term = test::Controller(PostgresStore::open(servers).value()).loaded.term;
  EXPECT_EQ(fact({}, term), "it can start");
  EXPECT_EQ(fact({}, Term{term.value + 1}),
            another + "its newest term is " + std::to_string(term.value) +
                ", and this controller leads term " + std::to_string(term.value + 1));
}

TEST_F(StartTrialTest, AControllerThatAcceptsTheLossMayChangeToAnyDatabase) {
  config_.accept_loss = true;
  StartTrial trial(program("echo \"$@\"; echo hint; exit 1"), "/x.toml", config_, *poller_);
  PeerMessage incoming = request(1);
  ASSERT_TRUE(trial.takes(incoming, Term{7}, read_clock().boot));
  EXPECT_EQ(ends(trial, 1).at(0).wrong_settings->fact,
            "--check-start --config /x.toml --held-local=" + config_.listen_local);
}

TEST_F(StartCheckTest, MakesTheMarkerOfTheCheckpointFolderOnlyForAClusterWithoutJobs) {
  const fs::path marker = fs::path(config_.checkpoint_root) / ".coxswain-cluster";
  const std::string setting = "checkpoint_root in [controller]: ";
  EXPECT_EQ(fact(), "it can start");
  EXPECT_TRUE(fs::remove(marker)) << "the check has made it";
  std::ofstream(marker) << "another\n";
  EXPECT_EQ(fact(), setting + config_.checkpoint_root + " belongs to cluster \"another\"");
  fs::remove(marker);
  fs::create_directory(marker);
  EXPECT_EQ(fact(), setting + "cannot read " + marker.string() + ": Is a directory");
  fs::remove(marker);
  PgServers servers(config_.database);
  test::Controller(PostgresStore::open(servers).value()).commit({JobAdded{test::a_job(1), {}, {}}});
  EXPECT_EQ(fact(), setting + "there is no " + marker.string() + ", and this cluster has jobs");
  EXPECT_FALSE(fs::exists(marker));
  std::ofstream(marker) << config_.cluster_name << "\n";
  EXPECT_EQ(fact(), "it can start");
}

TEST(ConnectionString, IsCheckedAsLibpqReadsIt) {
  EXPECT_FALSE(check_connection_string("dbname=coxswain host=/run/postgresql"));
  EXPECT_FALSE(check_connection_string("postgresql://cox@a,b/coxswain"));
  const Failure wrong = check_connection_string("dbnme=coxswain");
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->fact, "invalid connection option \"dbnme\"");
  EXPECT_FALSE(wrong->hint.empty());
}

}  // namespace
}  // namespace cox
