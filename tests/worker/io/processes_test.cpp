#include "tests/worker/processes_fixture.h"

namespace cox {
namespace {

TEST_F(ProcessesTest, AGangRunsAndItsExitsAreReported) {
  run(shell_gang(2, "echo rank $RANK of $WORLD_SIZE on $MASTER_ADDR:$MASTER_PORT; exit $RANK"));
  ASSERT_TRUE(wait_gone());
  ASSERT_EQ(status.ranks.size(), 2u);
  EXPECT_EQ(status.ranks[0].exit_code, 0);
  EXPECT_EQ(status.ranks[1].exit_code, 1);
  EXPECT_GT(status.master_port, 0);
  const std::string where = " of 2 on 127.0.0.11:" + std::to_string(status.master_port) + "\n";
  EXPECT_EQ(read_text(folder / "slurm-17.0.out"), "rank 0" + where);
  EXPECT_EQ(read_text(folder / "slurm-17.1.out"), "rank 1" + where);
  EXPECT_FALSE(processes->prepare(launch));  // repeated: no effect
  processes->forget(launch.key);
  EXPECT_FALSE(fs::exists(attempt_folder()));
  known = false;
}

TEST_F(ProcessesTest, ABatchScriptGetsItsArgumentsAndTheBatchVariables) {
  LaunchSpec batch = batch_launch(1);
  const LaunchSpec shell = shell_gang(1, "");
  batch.spec.work_dir = shell.spec.work_dir;
  batch.spec.uid = shell.spec.uid;
  batch.spec.gid = shell.spec.gid;
  batch.environment = shell.environment;
  batch.spec.command = {"one two"};
  batch.script = "#!/bin/sh\necho \"$1\" $ENVIRONMENT $SLURM_TASK_PID $$\n";
  run(batch);
  ASSERT_TRUE(wait_gone());
  std::istringstream words(read_text(folder / "slurm-17.out"));
  std::string one, two, environment, task_pid, own_pid;
  words >> one >> two >> environment >> task_pid >> own_pid;
  EXPECT_EQ(one + two + environment, "onetwoBATCH");
  EXPECT_EQ(task_pid, own_pid);
}

TEST_F(ProcessesTest, AnAttemptEndsOnlyWhenItsDaemonsAreGone) {
  run(shell_gang(1,
                 "setsid sh -c 'touch daemon; sleep 1000' & "
                 "while [ ! -e daemon ]; do sleep 0.01; done"));
  ASSERT_TRUE(wait_gone());
  EXPECT_TRUE(fs::exists(folder / "daemon"));
  EXPECT_TRUE(nothing_runs());
}

TEST_F(ProcessesTest, ARankThatIgnoresSigtermIsKilled) {
  run(shell_gang(1, "trap 'touch asked' TERM; touch up; while :; do sleep 0.05; done"));
  ASSERT_TRUE(wait_file("up"));
  processes->stop(launch.key, StopOrder{StopWhy::Preempt, true, 0, 300, ""});
  ASSERT_TRUE(wait_gone());
  EXPECT_TRUE(fs::exists(folder / "asked"));
  EXPECT_EQ(status.ranks[0].exit_signal, SIGKILL);
  EXPECT_EQ(status.stop, StopWhy::Preempt);
  EXPECT_EQ(read_text(attempt_folder() + "/reason"), "preempt\n");
  EXPECT_TRUE(nothing_runs());
}

TEST_F(ProcessesTest, TheRanksOfAKilledSupervisorAreKilled) {
  run(shell_gang(2, "sleep 1000 & touch up$RANK; wait"));
  ASSERT_TRUE(wait_file("up0") && wait_file("up1"));
  ASSERT_TRUE(wait_until([&] { return status.phase == NodePhase::Running; }));
  ASSERT_EQ(::kill(supervisor_pid(), SIGKILL), 0);
  ASSERT_TRUE(wait_until([&] { return lost; }));
  EXPECT_TRUE(nothing_runs());
  EXPECT_EQ(status.key, launch.key);
  EXPECT_EQ(status.phase, NodePhase::Running);
  EXPECT_TRUE(status.node_at_fault);

  lost = false;  // a restarted worker finds the loss too
  start_worker();
  EXPECT_TRUE(wait_until([&] { return lost; }));
}

TEST_F(ProcessesTest, ASupervisorThatTheOwnerOrANewBootEndedIsNoFaultOfTheNode) {
  run(shell_gang(1, "touch up; sleep 1000"));
  ASSERT_TRUE(wait_file("up"));
  ASSERT_TRUE(wait_until([&] { return status.phase == NodePhase::Running; }));
  const std::string identity = attempt_folder() + "/" + supervisor_folder::identity_file;
  EXPECT_FALSE(ended_without_fault(attempt_folder()));
  std::ofstream(attempt_folder() + "/" + supervisor_folder::ended_file);
  ASSERT_EQ(::kill(supervisor_pid(), SIGKILL), 0);
  ASSERT_TRUE(wait_until([&] { return lost; }));
  EXPECT_FALSE(status.node_at_fault);

  fs::remove(attempt_folder() + "/" + supervisor_folder::ended_file);
  EXPECT_FALSE(ended_without_fault(attempt_folder()));
  std::ofstream(identity) << "another-boot\n1\n1\n";
  EXPECT_TRUE(ended_without_fault(attempt_folder()));
  fs::remove(identity);
  EXPECT_FALSE(ended_without_fault(attempt_folder())) << "it is not known";
}

TEST_F(ProcessesTest, ASupervisorThatDiesAtAnyPointLeavesNoProcess) {
  std::int32_t attempt = 0;
  // A number after the point means that the supervisor dies at that passing of it. Each supervisor
  // writes at least three statuses: the first, ready, and the ends of the ranks, which may come
  // together.
  for (const char* point : {"before_status", "after_status", "before_ready", "after_start",
                            "before_seal", "before_status:3", "after_status:3"}) {
    LaunchSpec doomed =
        shell_gang(2, "sleep 1000 & mkdir -p $COX_CHECKPOINT_DIR/step-1/rank-$RANK; exit 75");
    doomed.key.attempt = AttemptNumber(++attempt);
    // The fork server, which forks the supervisors, keeps the environment with which it is started.
    processes.reset();
    ::setenv("COX_CRASH_AT", (std::string("supervisor.") + point).c_str(), 1);
    start_worker();
    const Failure failure = processes->prepare(doomed);
    ::unsetenv("COX_CRASH_AT");
    ASSERT_FALSE(failure) << failure->fact;
    lost = false;
    status = AttemptStatus{};
    const auto over = [&] { return lost || !status.refused.empty(); };
    ASSERT_TRUE(wait_until([&] { return over() || status.phase == NodePhase::Ready; })) << point;
    processes->go(doomed.key, GoOrder{});
    EXPECT_TRUE(wait_until(over)) << point;
    EXPECT_EQ(lost, point != std::string("before_status"))
        << "no process ran before the first status";
    EXPECT_TRUE(runs_nothing(spool() + "/17." + std::to_string(attempt)));
    processes->forget(doomed.key);  // or the next worker would report this attempt too
  }
}

TEST_F(ProcessesTest, ANewWorkerAdoptsRunningAttempts) {
  run(shell_gang(1, "touch up; while [ ! -e end ]; do sleep 0.01; done; exit 3"));
  ASSERT_TRUE(wait_file("up"));
  const pid_t supervisor = supervisor_pid();
  processes.reset();
  status = AttemptStatus{};
  start_worker();
  ASSERT_TRUE(wait_until([&] { return status.phase == NodePhase::Running; }));
  EXPECT_EQ(supervisor_pid(), supervisor);
  write_text(folder / "end", "");
  ASSERT_TRUE(wait_gone());
  EXPECT_FALSE(lost);
  EXPECT_EQ(status.ranks[0].exit_code, 3);
}

// The controller takes an attempt that is missing in a worker's first hello for gone, and starts
// the job elsewhere. So the first poll must report all adopted attempts.
TEST_F(ProcessesTest, TheFirstPollReportsAdoptedAttemptsBeforeTheirSupervisorsAnswer) {
  run(shell_gang(1, "touch up; sleep 1000"));
  ASSERT_TRUE(wait_until([&] { return status.phase == NodePhase::Running; }));
  const pid_t supervisor = supervisor_pid();
  ::kill(supervisor, SIGSTOP);
  processes.reset();
  status = AttemptStatus{};
  start_worker();
  take_events();
  EXPECT_EQ(status.key, launch.key);
  EXPECT_EQ(status.phase, NodePhase::Running);
  ::kill(supervisor, SIGCONT);
}

TEST_F(ProcessesTest, AnAttemptThatEndedWithoutAWorkerIsReported) {
  run(shell_gang(1, "touch up; while [ ! -e end ]; do sleep 0.01; done; exit 4"));
  ASSERT_TRUE(wait_file("up"));
  processes.reset();
  write_text(folder / "end", "");
  ASSERT_TRUE(wait_for([&] { return supervisor_has_ended(); }));
  start_worker();
  ASSERT_TRUE(wait_gone());
  EXPECT_EQ(status.ranks[0].exit_code, 4);
}

TEST_F(ProcessesTest, TheLeaseOfAnAttemptEndsWithoutAWorker) {
  LaunchSpec leased = shell_gang(1, "touch up; sleep 1000");
  leased.lease_ms = 2'000;
  leased.lease_grace_ms = 100;
  run(leased);
  ASSERT_TRUE(wait_file("up"));
  processes.reset();
  ASSERT_TRUE(wait_for([&] { return supervisor_has_ended(); }));
  EXPECT_TRUE(nothing_runs());
  start_worker();
  ASSERT_TRUE(wait_gone());
  EXPECT_EQ(status.stop, StopWhy::LeaseEnded);
}

TEST_F(ProcessesTest, AttemptsStartThoughTheProcessThatForksTheirSupervisorsWasKilled) {
  run(shell_gang(1, "touch up; while [ ! -e end ]; do sleep 0.01; done"));
  ASSERT_TRUE(wait_file("up"));
  const auto server = read_process(supervisor_pid());
  ASSERT_TRUE(server);
  const pid_t parent = server->stat.parent;
  ASSERT_EQ(::kill(parent, SIGKILL), 0);
  ASSERT_TRUE(wait_for([&] {
    const auto left = read_process(parent);
    return !left || !left->stat.is_living();
  }));
  LaunchSpec next = shell_gang(1, "touch next");
  next.key = AttemptKey{JobId(18), AttemptNumber(1)};
  ASSERT_FALSE(processes->prepare(next));
  const auto is_at = [](const std::string& attempt, NodePhase phase) {
    const auto published = StatusJournal::read(attempt);
    return published && published->phase == phase;
  };
  EXPECT_TRUE(wait_for([&] { return is_at(spool() + "/18.1", NodePhase::Ready); }));
  write_text(folder / "end", "");  // the first attempt, which still runs, may end
  EXPECT_TRUE(wait_for([&] { return is_at(attempt_folder(), NodePhase::Gone); }));
  processes->stop(next.key, StopOrder{StopWhy::Cancel, false, 0, 0, ""});
  EXPECT_TRUE(wait_for([&] { return is_at(spool() + "/18.1", NodePhase::Gone); }));
}

TEST_F(ProcessesTest, ExitCode75SealsTheCheckpointThatEachRankSaved) {
  run(shell_gang(2,
                 "mkdir -p $COX_CHECKPOINT_DIR/step-9/rank-$RANK; "
                 "echo w > $COX_CHECKPOINT_DIR/step-9/rank-$RANK/model; exit 75"));
  ASSERT_TRUE(wait_gone());
  for (const RankStatus& rank : status.ranks) {
    EXPECT_EQ(rank.exit_code, exit_code_saved);
    ASSERT_EQ(rank.saved.size(), 1u);
    EXPECT_EQ(rank.saved[0].step, 9);
    EXPECT_EQ(rank.saved[0].files, 1);
    EXPECT_FALSE(verify(checkpoint_dir(launch) + "/step-9", {rank.rank}, "", 1));
  }
  const std::string step = checkpoint_dir(launch) + "/step-9";
  processes->remove_checkpoint(launch.job_checkpoint_dir, launch.key, 9);
  EXPECT_TRUE(wait_until([&] { return !fs::exists(step); }));
}

TEST_F(ProcessesTest, ARankReportsACheckpointAndGetsAReply) {
  run(shell_gang(1,
                 "mkdir -p $COX_CHECKPOINT_DIR/step-4; "
                 "echo w > $COX_CHECKPOINT_DIR/step-4/rank-0; touch saved; sleep 1000"));
  ASSERT_TRUE(wait_file("saved"));
  ASSERT_TRUE(wait_until([&] { return status.ranks[0].phase == RankPhase::Running; }));
  auto socket = connect_in(attempt_folder(), "socket");
  ASSERT_TRUE(socket);
  FrameStream rank(std::move(*socket), 65536);
  ASSERT_TRUE(rank.send(CheckpointDone{0, 4}));
  std::vector<Message> answers;
  ASSERT_TRUE(wait_for([&] { return !rank.read(answers) || !answers.empty(); }));
  ASSERT_EQ(answers.size(), 1u);
  const auto& answer = std::get<CheckpointAnswer>(answers[0]);
  EXPECT_FALSE(answer.refused);
  EXPECT_EQ(answer.saved.bytes, 2);
  EXPECT_TRUE(wait_until([&] { return status.ranks[0].saved.size() == 1; }));
}

TEST_F(ProcessesTest, ANodeWhoseSpoolCannotBeExaminedIsUnfit) {
  EXPECT_EQ(processes->unfit(), "");
  fs::rename(spool(), spool() + ".away");
  EXPECT_EQ(processes->unfit(),
            "its spool folder " + spool() + " cannot be examined: No such file or directory");
  fs::rename(spool() + ".away", spool());
  EXPECT_EQ(processes->unfit(), "");
}

TEST_F(ProcessesTest, AProgramThatCannotBeStartedReportsTheReason) {
  LaunchSpec wrong = shell_gang(1, "");
  wrong.spec.command = {"no-such-program"};
  run(wrong);
  ASSERT_TRUE(wait_gone());
  EXPECT_EQ(status.ranks[0].exit_code, 127);
  EXPECT_NE(status.note.find("cannot run no-such-program"), std::string::npos) << status.note;
}

TEST_F(ProcessesTest, OutputIsTruncatedOnceAndThenAppendedTo) {
  write_text(folder / "slurm-17.0.out", "of an earlier cluster\n");
  run(shell_gang(1, "echo first"));
  ASSERT_TRUE(wait_gone());
  EXPECT_EQ(read_text(folder / "slurm-17.0.out"), "first\n");
  status = AttemptStatus{};
  LaunchSpec again = shell_gang(1, "echo second");
  again.key.attempt = AttemptNumber(2);
  again.restarts = 1;
  run(again);
  ASSERT_TRUE(wait_gone());
  EXPECT_EQ(read_text(folder / "slurm-17.0.out"), "first\nsecond\n");
}

// The job's first attempt on this node may have another number than 1: attempt 1 may have been
// undone before this node prepared it.
TEST_F(ProcessesTest, OutputIsTruncatedByTheFirstAttemptThatRuns) {
  write_text(folder / "slurm-17.0.out", "of an earlier cluster\n");
  LaunchSpec second = shell_gang(1, "echo first");
  second.key.attempt = AttemptNumber(2);
  run(second);
  ASSERT_TRUE(wait_gone());
  EXPECT_EQ(read_text(folder / "slurm-17.0.out"), "first\n");
}

// Without its marker, the checkpoint folder is only an empty folder in place of the shared one, and
// other nodes would not see what is saved there.
TEST_F(ProcessesTest, ALaunchIsRefusedIfTheCheckpointFolderIsNotMounted) {
  fs::remove(marker());
  prepare(shell_gang(1, "true"));
  ASSERT_TRUE(wait_gone());
  EXPECT_TRUE(status.node_at_fault);
  EXPECT_NE(status.refused.find("is not here"), std::string::npos) << status.refused;
  EXPECT_FALSE(fs::exists(folder / "checkpoints/17"));
}

TEST_F(ProcessesTest, ASaveIsRefusedIfTheCheckpointFolderWasUnmounted) {
  run(shell_gang(1,
                 "touch up; while [ ! -e gone ]; do sleep 0.01; done; "
                 "mkdir -p $COX_CHECKPOINT_DIR/step-9/rank-0; exit 75"));
  ASSERT_TRUE(wait_file("up"));
  fs::remove(marker());
  write_text(folder / "gone", "");
  ASSERT_TRUE(wait_gone());
  EXPECT_TRUE(status.ranks[0].saved.empty());
  EXPECT_NE(status.note.find("is not here"), std::string::npos) << status.note;
}

// A supervisor raises its own limit of open files to the maximum. Its ranks get the limit with
// which the worker was started.
TEST_F(ProcessesTest, RanksHaveTheLimitOfOpenFilesWithWhichTheWorkerWasStarted) {
  constexpr rlim_t usual = 200;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_GT(before.rlim_max, usual);
  const rlimit lower{usual, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &lower), 0);
  raise_descriptor_limit();
  rlimit raised{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &raised), 0);
  EXPECT_EQ(raised.rlim_cur, before.rlim_max);
  run(shell_gang(1, "ulimit -n"));
  ASSERT_TRUE(wait_gone());
  EXPECT_EQ(read_text(folder / "slurm-17.0.out"), std::to_string(usual) + "\n");
  ::setrlimit(RLIMIT_NOFILE, &before);
}

// sbatch sends the user's soft limits as variables. The ranks get the limits, but not these
// variables.
TEST_F(ProcessesTest, RanksHaveTheSoftLimitsOfTheirUser) {
  LaunchSpec launch = shell_gang(1, "ulimit -n; ulimit -c; env | grep -c RLIMIT; true");
  launch.environment += std::string("SLURM_RLIMIT_NOFILE=150\0SLURM_RLIMIT_CORE=U0\0", 45);
  run(launch);
  ASSERT_TRUE(wait_gone());
  EXPECT_EQ(read_text(folder / "slurm-17.0.out"), "150\n0\n0\n");
}

// If /proc cannot be read, nothing proves that no process of the attempt is left, so it does not
// count as gone.
TEST_F(ProcessesTest, AnAttemptIsNotGoneWhileProcessesCannotBeListed) {
  const std::string left = attempt_folder();
  std::string mark = attempt_mark(left);
  char program[] = "/bin/sleep";
  char time[] = "1000";
  char* words[] = {program, time, nullptr};
  char* environment[] = {mark.data(), nullptr};
  pid_t child = 0;
  ASSERT_EQ(::posix_spawn(&child, program, nullptr, nullptr, words, environment), 0);
  ASSERT_TRUE(wait_for([&] { return !runs_nothing(left); }));
  Containment containment = Containment::find(left, left);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  bool taken_for_gone = false;
  for (int i = 0; i < 5; ++i) taken_for_gone = taken_for_gone || containment.kill_all({});
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_FALSE(taken_for_gone);
  EXPECT_TRUE(wait_for([&] { return containment.kill_all({}); }));
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
}

TEST_F(ProcessesTest, InvalidDataOnTheSocketIsIgnored) {
  run(shell_gang(1, "touch up; while [ ! -e end ]; do sleep 0.01; done"));
  ASSERT_TRUE(wait_file("up"));
  auto socket = connect_in(attempt_folder(), "socket");
  ASSERT_TRUE(socket);
  ASSERT_EQ(::write(socket->get(), "\xff\xff\xff\x7fnonsense", 12), 12);
  char byte = 0;
  pollfd closed{socket->get(), POLLIN, 0};
  ASSERT_EQ(::poll(&closed, 1, static_cast<int>(patience().count())), 1);
  EXPECT_LE(::read(socket->get(), &byte, 1), 0);
  write_text(folder / "end", "");
  ASSERT_TRUE(wait_gone());
  EXPECT_EQ(status.ranks[0].exit_code, 0);
}

TEST_F(ProcessesTest, ARestartedWorkerRemovesTheFolderOfAnAttemptWithoutAStatus) {
  fs::create_directories(attempt_folder());
  write_text(attempt_folder() + "/launch", "cut off");
  start_worker();
  EXPECT_FALSE(fs::exists(attempt_folder()));
}

// After the release a listener of the attempt can bind the port, even without SO_REUSEADDR, and no
// other attempt gets it.
TEST(ReservedPorts, OnlyRanksAndStepsOfItsAttemptGetThePorts) {
  auto port = ReservedPorts::reserve("127.0.0.1");
  ASSERT_TRUE(port) << port.refusal().fact;
  port->release_to_ranks();
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_port = htons(static_cast<std::uint16_t>(port->first()));
  const Descriptor listener(::socket(AF_INET, SOCK_STREAM, 0));
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  std::vector<ReservedPorts> others;
  for (int i = 0; i < 200; ++i) {
    auto other = ReservedPorts::reserve("127.0.0.1");
    ASSERT_TRUE(other);
    EXPECT_GE(std::abs(other->first() - port->first()), ports_per_attempt);
    others.push_back(std::move(*other));
  }
  // No port on an address that this machine lacks.
  EXPECT_FALSE(ReservedPorts::reserve("192.0.2.1"));
}

// Every process of the attempt counts as fast as it can. While the attempt is suspended none counts
// on, not even one that has left its process group.
TEST_F(ProcessesTest, ASuspendedAttemptDoesNotRunUntilItIsResumed) {
  run(shell_gang(
      2,
      "count() { i=0; while :; do i=$((i+1)); echo $i > $1.part; mv $1.part $1; done; }; "
      "(trap '' HUP; setsid sh -c 'while :; do date +%N > child$RANK; done') & "
      "touch up$RANK; count count$RANK"));
  const auto all = [&] {
    std::string text;
    for (const char* name : {"count0", "count1", "child0", "child1"})
      text += read_text(folder / name) + "/";
    return text;
  };
  ASSERT_TRUE(wait_file("count0") && wait_file("count1"));
  ASSERT_TRUE(wait_file("child0") && wait_file("child1"));
  processes->suspend(launch.key, Suspension{1, true});
  ASSERT_TRUE(wait_until([&] { return status.suspension.suspended; }));
  const std::string unchanged = all();
  for (int looks = 0; looks < 20; ++looks) {  // take_events() waits up to 50 ms for an event
    take_events();
    ASSERT_EQ(all(), unchanged);
  }
  start_worker();  // a restarted worker finds the suspension too
  ASSERT_TRUE(wait_until([&] { return status.suspension == Suspension{1, true}; }));
  processes->suspend(launch.key, Suspension{2, false});
  EXPECT_TRUE(wait_until([&] { return status.suspension == Suspension{2, false}; }));
  for (const char* name : {"count0", "count1", "child0", "child1"}) {
    const std::string before = read_text(folder / name);
    EXPECT_TRUE(wait_until([&] { return read_text(folder / name) != before; })) << name;
  }
}

// Without a cgroup, the processes of an attempt are found by a mark in their environment, including
// those that start while others are being stopped.
TEST_F(ProcessesTest, ProcessesAreSuspendedAndResumedWithoutACgroup) {
  const std::string own = folder / "own";
  fs::create_directory(own);
  std::string mark = attempt_mark(own);
  std::string path = "PATH=/usr/bin:/bin";
  std::string script =
      "cd '" + own + "'; while :; do sh -c 'date +%N > now.part; mv now.part now'; done";
  std::array<char*, 3> environment{mark.data(), path.data(), nullptr};
  std::string shell = "sh", flag = "-c";
  std::array<char*, 4> words{shell.data(), flag.data(), script.data(), nullptr};
  pid_t pid = 0;
  ASSERT_EQ(::posix_spawn(&pid, "/bin/sh", nullptr, nullptr, words.data(), environment.data()), 0);
  const auto now = [&] { return read_text(own + "/now"); };
  EXPECT_TRUE(wait_for([&] { return fs::exists(own + "/now"); }));
  Containment containment = Containment::find(own, own);
  EXPECT_TRUE(wait_for([&] { return containment.freeze_all({}); }));
  const std::string unchanged = now();
  for (int looks = 0; looks < 20; ++looks) {
    EXPECT_TRUE(containment.freeze_all({}));
    EXPECT_EQ(now(), unchanged);
  }
  EXPECT_TRUE(wait_for([&] { return containment.thaw_all({}); }));
  EXPECT_TRUE(wait_for([&] { return now() != unchanged; }));
  EXPECT_TRUE(wait_for([&] { return containment.freeze_all({}); }));
  EXPECT_TRUE(wait_for([&] {
    ::waitpid(pid, nullptr, WNOHANG);
    return containment.kill_all({});
  })) << "stopped processes can be killed";
}

TEST_F(ProcessesTest, ASuspendedAttemptGetsTheSignalToStop) {
  run(shell_gang(1, "trap 'touch asked; exit 75' TERM; touch up; while :; do sleep 0.05; done"));
  ASSERT_TRUE(wait_file("up"));
  processes->suspend(launch.key, Suspension{1, true});
  ASSERT_TRUE(wait_until([&] { return status.suspension.suspended; }));
  processes->stop(launch.key, StopOrder{StopWhy::Preempt, true, 20'000, 1'000, ""});
  ASSERT_TRUE(wait_gone());
  EXPECT_TRUE(fs::exists(folder / "asked"));
  EXPECT_EQ(status.ranks[0].exit_code, 75);
  EXPECT_TRUE(nothing_runs());
}

TEST_F(ProcessesTest, ASuspendedAttemptWhoseSupervisorDiesLeavesNoProcess) {
  run(shell_gang(1, "sleep 1000 & touch up; wait"));
  ASSERT_TRUE(wait_file("up"));
  processes->suspend(launch.key, Suspension{1, true});
  ASSERT_TRUE(wait_until([&] { return status.suspension.suspended; }));
  ASSERT_EQ(::kill(supervisor_pid(), SIGKILL), 0);
  ASSERT_TRUE(wait_until([&] { return lost; }));
  EXPECT_TRUE(nothing_runs());
}

}  // namespace
}  // namespace cox
