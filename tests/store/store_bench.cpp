#include "tests/store/store_bench.h"

#include "controller/io/records/pg_batches.h"
#include "tests/patience.h"
#include "tests/store/private_postgres.h"

namespace cox::test {
namespace {

class MemoryKind final : public Database {
 public:
  std::unique_ptr<Store> open(const LastKnownState& known) override {
    auto store = std::make_unique<MemoryStore>(database_);
    store->known = known;
    return store;
  }

 private:
  std::shared_ptr<MemoryDatabase> database_ = std::make_shared<MemoryDatabase>();
};

class PostgresKind final : public Database {
 public:
  std::unique_ptr<Store> open(const LastKnownState& known) override {
    auto store = PostgresStore::open(servers_, known);
    EXPECT_TRUE(store.ok()) << (store.ok() ? "" : store.refusal().fact);
    install_transition_trigger(conninfo_);
    return std::move(store).value();
  }

 private:
  std::string conninfo_ = PrivatePostgres::shared().migrated_database();
  PgServers servers_{conninfo_};
};

}  // namespace

std::unique_ptr<Database> memory_database() {
  return std::make_unique<MemoryKind>();
}
std::unique_ptr<Database> postgres_database() {
  return std::make_unique<PostgresKind>();
}

void install_transition_trigger(const std::string& conninfo) {
  std::string ways;
  for (const Transition& t : transitions)
    ways += (ways.empty() ? "('" : ", ('") + std::string(name(t.from)) + "', '" +
            std::string(name(t.to)) + "')";
  const std::string sql =
      "CREATE OR REPLACE FUNCTION cox.check_transition() RETURNS trigger LANGUAGE plpgsql AS $$\n"
      "DECLARE\n"
      "  before cox.job_state;\n"
      "BEGIN\n"
      "  SELECT state INTO before FROM cox.job_event\n"
      "    WHERE job_id = NEW.job_id AND what = 'state' ORDER BY sequence DESC LIMIT 1;\n"
      "  IF NEW.what = 'state' AND NEW.state <> 'PENDING'\n"
      "     AND (coalesce(before, 'PENDING')::text, NEW.state::text) NOT IN (" +
      ways +
      ") THEN\n"
      "    RAISE EXCEPTION 'illegal transition of job % to %', NEW.job_id, NEW.state\n"
      "      USING ERRCODE = '23514';\n"
      "  END IF;\n"
      "  RETURN NEW;\n"
      "END $$;\n"
      "CREATE OR REPLACE TRIGGER check_transition BEFORE INSERT ON cox.job_event\n"
      "  FOR EACH ROW EXECUTE FUNCTION cox.check_transition();";
  EXPECT_EQ(run_sql(conninfo, sql), "");
}

std::vector<StoreEvent> wait_for_events(Store& store) {
  const auto deadline = std::chrono::steady_clock::now() + patience();
  auto* const postgres = dynamic_cast<PostgresStore*>(&store);
  while (std::chrono::steady_clock::now() < deadline) {
    auto events = store.poll();
    if (!events.empty()) return events;
    if (postgres == nullptr) continue;
    pollfd wanted{postgres->fd(), postgres->events(), 0};
    const auto wait_ms =
        std::min(postgres->retry_in().value_or(Milliseconds{1000}), Milliseconds{1000});
    ::poll(&wanted, 1, static_cast<int>(wait_ms.count()) + 1);
  }
  return {};
}

Snapshot load(Store& store, bool take_term, Wall ended_since) {
  store.load(take_term, ended_since);
  return next<Loaded>(store).snapshot;
}

Controller::Controller(std::unique_ptr<Store> store) : store_(std::move(store)) {
  loaded = load(*store_);
  last = loaded.turn;
}

Turn Controller::turn(std::vector<Change> changes, std::vector<std::string> blobs_wanted) {
  return {loaded.term, TurnNumber{last.value + 1}, at(0), std::move(changes),
          std::move(blobs_wanted)};
}

Committed Controller::commit(std::vector<Change> changes, std::vector<std::string> blobs_wanted) {
  store_->commit(turn(std::move(changes), std::move(blobs_wanted)));
  Committed committed = next<Committed>(*store_);
  EXPECT_EQ(committed.number.value, ++last.value);
  return committed;
}

TurnRejected Controller::commit_refused(std::vector<Change> changes) {
  store_->commit(turn(std::move(changes)));
  TurnRejected rejected = next<TurnRejected>(*store_);
  EXPECT_EQ(rejected.number.value, last.value + 1);
  return rejected;
}

JobSize a_component(JobSize size) {
  size.nodes = 3;
  size.nodelist = {"n4", "with \"quotes\", {and} \\more"};
  size.whole_memory = true;
  size.min_cpus = 5;
  size.prefer = "fast";
  return size;
}

Job a_job(std::int64_t id) {
  Job job;
  job.id = JobId{id};
  job.request_id = "request-" + std::to_string(id);
  job.submitted = at(1);
  job.eligible = at(2);
  job.why = "just submitted";
  job.held = true;
  job.held_why = "launch failed on 3 nodes";
  job.avoid_nodes = {"n1", "n2"};
  JobSpec& s = job.spec.change();
  s.name = "train";
  s.form = JobForm::Batch;
  s.command = {"python3", "train.py", "", "a \"quoted\" word", "{x,y}", "NULL"};
  s.script_hash = std::string(32, 'a');
  s.environment_hash = std::string(32, 'b');
  s.user_name = "ada";
  s.uid = 4'294'967'294u;
  s.gid = 1001;
  s.work_dir = "/home/ada";
  s.output = "out-%j.txt";
  s.error = "err-%j.txt";
  s.input = "in.txt";
  s.append_output = true;
  s.nodes = 2;
  s.tasks = 4;
  s.tasks_asked = true;
  s.tasks_per_node = 2;
  s.cpus_per_task = 3, s.min_cpus = 6;
  s.cpus_per_task_asked = true;
  s.memory_mb_per_node = 4096;
  s.gpu_type = "h100";
  s.gpus_per_node = 8;
  s.exclusive = s.contiguous = s.exclusive_user = true;
  s.partition = "long";
  s.qos = "standard";
  s.nodelist = {"n3"};
  s.constraint = "fast", s.prefer = "!old";
  s.time_limit_s = 3600;
  s.signal = {10, 90, true};
  s.checkpoint_signal = 12;
  s.checkpoint_by = CheckpointBy::Rank0;
  s.requeue = false;
  s.requeue_on_timeout = true;
  s.no_fence = true;
  s.hold = true;
  s.submit_host = "login";
  s.gpu_milli = 250;
  s.gpu_choice = "cost";
  s.gres = "fpga:u280:2";
  s.licences = "matlab:2";
  s.node_sizes = "2-4";
  s.switches = "1@10:00";
  s.topology = "required:leaf";
  s.time_min_s = 600;
  s.nice = -7;
  s.dependency = "afterok:7,after:8+5,singleton";
  s.begin = at(2);
  s.deadline = at(9);
  s.kill_on_invalid_dependency = true;
  s.account = "physics";
  s.reservation = "repair";
  s.array = "4-9%2";
  s.components = {a_component(s), JobSize{}};
  job.array_job = JobId{id};
  job.array_task = 4;
  job.array_tasks = *parse_array_tasks("4-9");
  job.array_limit = 2;
  return job;
}

Attempt an_attempt(std::int64_t job, std::int32_t number) {
  Attempt attempt;
  attempt.key = {JobId{job}, AttemptNumber{number}};
  attempt.nodes = {{{"n1", 0, 1, 4, 1024, {0, 3}}, NodePhase::Ready, 7, "a note", 3, {10, 20, 30}},
                   {{"n2", 1, 1, 4, 2048, {}, gpu_whole, 1}, NodePhase::Preparing, 0, ""}};
  attempt.ranks = {{0,
                    RankPhase::Exited,
                    75,
                    0,
                    {{10, 100, 2, false}, {20, 200, 3, true, true}},
                    at(3),
                    at(4),
                    0,
                    1'000,
                    true},
                   {1, RankPhase::Running, 0, 0, {}, at(3), {}, {}, {}}};
  attempt.master_port = 29'500;
  attempt.resume = ResumeFrom{AttemptNumber{number}, 17};
  attempt.stop = {StopWhy::Preempt, true, 60'000, 30'000, "job 9 is more urgent"};
  attempt.began = at(2);
  attempt.went = at(3);
  attempt.stop_asked = at(4);
  attempt.outcome = "preempted";
  attempt.suspension = {3, true};
  attempt.suspended_at = {at(5), at(6)};
  attempt.suspended_ms = 1'500;
  attempt.resumed = at(6);
  attempt.partition = "gpu";
  attempt.progress = {40, 100, {{"loss", "0.25"}, {"acc", "nan"}}, at(6), 20, at(5)};
  attempt.finished = true;
  attempt.resume_job_step = 2;
  attempt.resume_command_hash = "f00d";
  return attempt;
}

Checkpoint a_checkpoint(std::int64_t job, std::int32_t attempt, std::int64_t step) {
  Checkpoint c{{JobId{job}, AttemptNumber{attempt}}, step, 1'000'000, 12, at(5), false, false};
  c.by_exit = true;
  c.damaged_in = AttemptNumber{3};
  c.job_step = 2;
  c.command_hash = "f00d";
  return c;
}

Node a_node(const std::string& name) {
  Node node;
  node.name = name;
  node.total = {64, 512'000, {{0, "h100", "GPU-0", 2}, {1, "", "", 1}}, {{"fpga", "u280", 2}}};
  node.features = {"fast", "rack 1"};
  node.address = "10.0.0.1";
  node.log_endpoint = "tcp://10.0.0.1:7001";
  node.log_key = "a$key";
  node.boot_id = "f00d";
  node.version = "0.1.0";
  node.drained = true;
  node.drained_by = DrainedBy::HealthCheck;
  node.set_down = true;
  node.reason_by = "node n1";
  node.returned = {at(2), at(3)};
  node.failures = {{JobId{7}, at(4)}, {JobId{}, at(5)}};
  node.responding = true;
  node.reason = "bad fan";
  node.changed = at(1);
  node.weight = 5;
  return node;
}

JobEvent an_event(std::int64_t job, const std::string& what) {
  JobEvent event;
  event.job = JobId{job};
  event.at = at(1);
  event.what = what;
  event.why = "because";
  event.actor = "user ada";
  return event;
}

EventAdded noted(const Job& job) {
  JobEvent event = an_event(job.id.value, "state");
  event.state = job.state;
  event.attempt = job.attempt;
  return {event};
}

JobChanged change(Job& job, JobState to) {
  JobChanged changed{job, job.state, job.attempt};
  if (to == JobState::Configuring) ++job.attempt.value;
  if (to == JobState::Running) job.started = at(3);
  if (is_final(to)) job.ended = at(9);
  job.state = to;
  job.why = "now " + std::string(name(to));
  changed.job = job;
  return changed;
}

}  // namespace cox::test
