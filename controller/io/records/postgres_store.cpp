#include "controller/io/records/postgres_store.h"

#include <poll.h>

#include "common/base/check.h"
#include "common/io/clock.h"
#include "common/io/crash_point.h"
#include "controller/change/turn_words.h"
#include "controller/io/postgres/pg_queries.h"
#include "controller/io/postgres/schema.h"
#include "controller/io/records/pg_batches.h"
#include "controller/io/records/pg_records.h"

namespace cox {
namespace {

constexpr int retries_max = 5;
// If the database has not answered for so long, it is reported as away.
constexpr Milliseconds silence_max{5'000};
constexpr std::size_t known_blobs_max = 10'000;

enum class Consequence { Rejected, Superseded, Retry, Away };

// Returns what happens to a turn when a statement of it is refused with this SQLSTATE. If the cause
// is not the content of the turn, the turn is sent again once the database works. (57P…: the server
// shuts down; 53…: out of disk, memory or connections; 25006: it became a replica; 55P03: another
// session holds a lock; 42…: a privilege is missing.) P0001 is the error of a trigger of the site.
Consequence consequence_of(const std::string& sqlstate) {
  if (sqlstate == "CX001") return Consequence::Superseded;
  if (sqlstate == "CX002" || sqlstate.starts_with("22") || sqlstate.starts_with("23") ||
      sqlstate.starts_with("54") || sqlstate == "P0001")
    return Consequence::Rejected;
  if (sqlstate == "40001" || sqlstate == "40P01") return Consequence::Retry;
  return Consequence::Away;
}

// Returns the snapshot with everything except jobs, attempts, checkpoints and steps.
Snapshot snapshot_from(const std::vector<PgRows>& rows) {
  Snapshot snapshot;
  const PgRows& turn = rows.at(1);
  snapshot.term = Term{turn.number(0, "term")};
  snapshot.turn = TurnNumber{turn.number(0, "turn")};
  snapshot.next_job = JobId{turn.number(0, "next_job")};
  snapshot.identity_seed = turn.cell(0, "identity_seed").value_or("");
  snapshot.has_attempts = turn.cell(0, "has_attempts") == "t";
  snapshot.qos = qos_from(rows.at(2));
  snapshot.nodes = nodes_from(rows.at(3));
  snapshot.waits = waits_from(rows.at(4));
  snapshot.estimates = estimates_from(rows.at(5));
  snapshot.associations = associations_from(rows.at(6));
  snapshot.partitions = partitions_from(rows.at(7));
  snapshot.reservations = reservations_from(rows.at(8));
  snapshot.qos_usage = qos_usage_from(rows.at(9));
  snapshot.failovers = failovers_from(rows.at(10));
  snapshot.kept_checkpoints = kept_checkpoints_from(rows.at(11));
  snapshot.crontabs = crontabs_from(rows.at(12));
  snapshot.cron_lines = cron_lines_from(rows.at(13));
  snapshot.triggers = event_triggers_from(rows.at(14));
  return snapshot;
}

void take_runs(const std::vector<PgRows>& rows, Snapshot& snapshot) {
  snapshot.attempts = attempts_from(rows.at(0), rows.at(1), rows.at(2));
  snapshot.checkpoints = checkpoints_from(rows.at(3));
  snapshot.steps = steps_from(rows.at(4));
}

// Returns whether a COMMIT waits for a replica (synchronous_standby_names), as shown by the row
// that a writing statement has returned.
bool is_synchronous(const PgRows& rows) {
  return rows.cell(0, "synchronous") == "t";
}

std::vector<Blob> in_order_wanted(std::vector<Blob> found, const std::vector<std::string>& wanted) {
  std::vector<Blob> ordered;
  for (const auto& hash : wanted)
    for (auto& blob : found)
      if (blob.hash == hash) {
        ordered.push_back(blob);
        break;
      }
  return ordered;
}

}  // namespace

Result<std::unique_ptr<PostgresStore>> PostgresStore::open(PgServers& servers,
                                                           LastKnownState known) {
  if (auto refusal = migrate_schema(servers)) return std::move(*refusal);
  return std::unique_ptr<PostgresStore>(new PostgresStore(servers, std::move(known)));
}

PostgresStore::PostgresStore(PgServers& servers, LastKnownState known)
    : writer_(servers, store_query_names()), reader_(servers), known_(std::move(known)) {
  now_ = read_clock().boot;
  writer_.connect(now_);
  epoll_.watch(writer_);
}

void PostgresStore::load(bool take_term, Wall ended_since) {
  CHECK(!turn_ && !load_);
  CHECK(take_term || term_);
  if (superseded_) return supersede("another controller leads");
  load_ = RequestedLoad{take_term, ended_since};
  if (writer_.is_idle() && operation_ == Operation::Nothing) go_on();
  epoll_.watch(writer_);
}

void PostgresStore::commit(Turn turn) {
  CHECK(!turn_ && !load_ && term_);
  CHECK(turn.number.value == last_.value + 1);
  if (superseded_) return supersede("another controller leads");
  turn_ = std::move(turn);
  retries_ = 0;
  if (writer_.is_idle() && operation_ == Operation::Nothing) go_on();
  epoll_.watch(writer_);
}

void PostgresStore::read_history(std::int64_t ticket, JobId job, std::int64_t after_sequence) {
  reader_.ask({ticket, ReadHistory{job, after_sequence}});
}

void PostgresStore::read_array_history(std::int64_t ticket, JobId array,
                                       std::int64_t after_sequence) {
  reader_.ask({ticket, ReadArrayHistory{array, after_sequence}});
}

void PostgresStore::read_job(std::int64_t ticket, JobId job, bool and_rows) {
  reader_.ask({ticket, ReadJob{job, and_rows}});
}

void PostgresStore::read_task(std::int64_t ticket, JobId array, std::int64_t task) {
  reader_.ask({ticket, ReadTask{array, task}});
}

void PostgresStore::read_request(std::int64_t ticket, const std::string& request_id) {
  reader_.ask({ticket, ReadRequest{request_id}});
}

void PostgresStore::read_accounting(std::int64_t ticket, const ListAccounting& ask) {
  reader_.ask({ticket, ReadAccounting{ask}});
}

void PostgresStore::read_qos(std::int64_t ticket) {
  reader_.ask({ticket, ReadQos{}});
}

void PostgresStore::read_requests(std::int64_t ticket) {
  reader_.ask({ticket, ReadRequests{}});
}

std::vector<StoreEvent> PostgresStore::poll() {
  now_ = read_clock().boot;
  if (writer_.is_closed() && !superseded_ && backoff_.is_due(now_)) writer_.connect(now_);
  while (auto answer = writer_.poll(now_)) on_answer(std::move(*answer));
  notice_silence();
  for (auto& event : reader_.poll(now_)) events_.push_back(std::move(event));
  epoll_.watch(writer_);
  epoll_.watch(reader_.connection());
  return std::exchange(events_, {});
}

short PostgresStore::events() const {
  return POLLIN;
}

std::optional<Milliseconds> PostgresStore::retry_in() const {
  std::optional<Boot> at = reader_.wake_at();
  const auto earlier = [&at](std::optional<Boot> other) {
    if (other && (!at || *other < *at)) at = other;
  };
  if (!events_.empty()) earlier(Boot{});
  if (writer_.is_closed() && !superseded_) earlier(backoff_.retry_at());
  earlier(writer_.deadline());
  if (const auto asked_at = writer_.asked_at(); asked_at && !away_)
    earlier(*asked_at + silence_max);
  if (!at) return std::nullopt;
  return std::max(Milliseconds{0}, *at - read_clock().boot);
}

void PostgresStore::run(Operation operation, const std::vector<PgStatement>& statements) {
  run(operation, sent_in_order(statements));
}

void PostgresStore::run(Operation operation, const MakeStatements& make) {
  operation_ = operation;
  now_ = read_clock().boot;
  writer_.run(make, now_);
}

void PostgresStore::go_on() {
  if (load_ && load_->take_term)
    return run(Operation::LookingBack,
               {{"turn_found", {pg_text(known_.term), pg_text(known_.turn)}},
                {"jobs_missing", {pg_text(known_.jobs)}}});
  if (term_ && !fenced_) {
    const Turn none{};
    return run(Operation::FencingSession,
               {{"fence_session", {pg_text(*term_), pg_text(last_), pg_text(synchronous_)}},
                blobs_wanted(turn_ ? *turn_ : none)});
  }
  if (load_) {
    std::vector<PgStatement> all{
        {"begin_reading", {}},      {"load_turn", {}},
        {"load_qos", {}},           {"load_nodes", {}},
        {"load_waits", {}},         {"load_estimates", {pg_text(estimates_kept_max)}},
        {"load_associations", {}},  {"load_partitions", {}},
        {"load_reservations", {}},  {"load_qos_used", {}},
        {"load_failovers", {}},     {"load_kept_checkpoints", {}},
        {"load_crontabs", {}},      {"load_crontab_lines", {}},
        {"load_event_triggers", {}}};
    for (PgStatement& one : jobs_loaded_.begin(load_->ended_since, writer_.timeline()))
      all.push_back(std::move(one));
    return run(Operation::Loading, all);
  }
  if (!turn_) return;
  if (crash_is_wished()) turn_names_ = names_of(turn_->changes);
  crash_point("store.before_commit", turn_names_);
  run(Operation::CommittingTurn, [this](const SendStatement& send) {
    send_turn(*turn_, session_, known_blobs_, writer_.row_types(), send);
  });
}

void PostgresStore::on_answer(PgAnswer answer) {
  switch (answer.kind) {
    case PgAnswer::Kind::Ready: fenced_ = false; return go_on();
    case PgAnswer::Kind::Done: return on_done(answer.rows);
    case PgAnswer::Kind::Failed: return on_failed(answer.sqlstate, answer.message);
    case PgAnswer::Kind::Lost: return away(answer.message);
  }
}

void PostgresStore::on_done(const std::vector<PgRows>& rows) {
  const Operation done = std::exchange(operation_, Operation::Nothing);
  switch (done) {
    case Operation::Nothing: CHECK(false && "an answer to nothing");
    case Operation::LookingBack: return on_truth_found(rows);
    case Operation::TakingTerm: return on_term_taken(rows.at(1));
    case Operation::FencingSession: return on_session_fenced(rows);
    case Operation::FreeingTurn: {
      const std::string why = std::exchange(locked_why_, {});
      // No backend was ended: the one that holds the turn row is at work, so wait.
      return rows.at(0).size() > 0 ? go_on() : away(why);
    }
    case Operation::Loading:
      loaded_ = snapshot_from(rows);
      jobs_loaded_.begun(rows.at(15));
      return load_jobs();
    case Operation::LoadingJobs: return load_jobs();
    case Operation::LoadingRuns:
      take_runs(rows, loaded_);
      return run(Operation::EndingLoad, {{"commit", {}}});
    case Operation::EndingLoad: return on_loaded();
    case Operation::CommittingTurn: {
      crash_point("store.after_commit", turn_names_);
      synchronous_ = is_synchronous(rows.front());
      const bool wanted = !turn_->blobs_wanted.empty();
      return on_committed(wanted ? blobs_from(rows.back()) : std::vector<Blob>{});
    }
  }
}

void PostgresStore::on_truth_found(const std::vector<PgRows>& rows) {
  const TurnFound found = turn_found_from(rows.at(0));
  Takeover to = take_over(found, known_, read_clock().wall);
  RowBatch failover(writer_.row_types(), "failover_insert");
  if (to.failover) {
    for (int row = 0; row < rows.at(1).size(); ++row)
      to.failover->jobs_lost.push_back(JobId{rows.at(1).number(row, "id")});
    add_failover(failover, *to.failover);
  }
  run(Operation::TakingTerm,
      {{"begin", {}},
       {"take_term",
        {pg_text(to.term), pg_text(to.id_floor), pg_text(found.timeline), pg_text(found.term),
         pg_text(found.turn), pg_text(found.session), pg_text(found.incarnation)}},
       std::move(failover).statement(),
       {"commit", {}}});
}

void PostgresStore::on_term_taken(const PgRows& turn_row) {
  // No row: the turn row has changed since it was read, so the load begins again.
  if (turn_row.size() == 0) return go_on();
  term_ = Term{turn_row.number(0, "term")};
  session_ = turn_row.number(0, "session");
  synchronous_ = is_synchronous(turn_row);
  fenced_ = true;
  load_->take_term = false;
  last_ = TurnNumber{};
  go_on();
}

void PostgresStore::on_session_fenced(const std::vector<PgRows>& rows) {
  const PgRows& turn_row = rows.at(0);
  if (turn_row.size() == 0) return supersede("cox.turn has no row", true);
  if (turn_row.cell(0, "fenced") != "t") {
    const bool database_regressed = turn_row.number(0, "term") < term_->value;
    return supersede(database_regressed ? "the database is older than our term"
                                        : "another controller has taken over",
                     database_regressed);
  }
  session_ = turn_row.number(0, "session");
  fenced_ = true;
  const TurnNumber found{turn_row.number(0, "turn")};
  const bool happened = turn_ && found == turn_->number;
  // While a load is due, last_ may be a turn of another term, since the newest turn is not read
  // yet.
  const bool expected = load_ ? found >= last_ : found == last_;
  if (!expected && !happened)
    return supersede("the database is at turn " + std::to_string(found.value) +
                         ", and the last committed turn that we know is " +
                         std::to_string(last_.value),
                     found < last_);
  if (turn_row.cell(0, "moved") == "t")
    return supersede("a replica was promoted that may lack what another leader wrote", true);
  synchronous_ = is_synchronous(turn_row);
  if (happened) return on_committed(blobs_from(rows.at(1)));
  if (!turn_ && !load_) back();
  go_on();
}

// Continues to read jobs. Once all are read, reads the attempts, checkpoints and steps of the jobs
// that have run. The query names the ids of these jobs, so that the database need not search.
void PostgresStore::load_jobs() {
  now_ = read_clock().boot;
  operation_ = Operation::LoadingJobs;
  if (jobs_loaded_.go_on(writer_, now_)) return;
  const std::vector<PgText> of{pg_text(jobs_loaded_.that_ran())};
  run(Operation::LoadingRuns, {{"load_attempts", of},
                               {"load_attempt_nodes", of},
                               {"load_ranks", of},
                               {"load_checkpoints", of},
                               {"load_steps", of}});
}

void PostgresStore::on_loaded() {
  Snapshot snapshot = std::exchange(loaded_, {});
  snapshot.jobs = std::exchange(jobs_loaded_, {}).jobs();
  if (snapshot.term != *term_)
    return supersede("the database has another term than we", snapshot.term < *term_);
  if (snapshot.turn < last_) return supersede("the database went back in time", true);
  last_ = snapshot.turn;
  load_.reset();
  back();
  events_.push_back(Loaded{std::move(snapshot)});
}

void PostgresStore::on_committed(std::vector<Blob> blobs) {
  back();
  last_ = turn_->number;
  committed_names_.merge(std::exchange(turn_names_, {}));
  if (known_blobs_.size() > known_blobs_max) known_blobs_.clear();
  for (auto& hash : hashes_brought(*turn_)) known_blobs_.insert(std::move(hash));
  events_.push_back(Committed{last_, in_order_wanted(std::move(blobs), turn_->blobs_wanted)});
  turn_.reset();
  retries_ = 0;
}

void PostgresStore::on_failed(const std::string& sqlstate, const std::string& error) {
  const bool is_locked = sqlstate == lock_not_available;
  const std::string message = is_locked ? table_is_locked + (": " + error) : error;
  const Operation failed = std::exchange(operation_, Operation::Nothing);
  const Consequence consequence = consequence_of(sqlstate);
  const bool wants_turn_row =
      failed == Operation::TakingTerm || failed == Operation::FencingSession;
  if (wants_turn_row && is_locked) {
    locked_why_ = message;
    return run(Operation::FreeingTurn, {{"free_turn", {}}});
  }
  if (failed != Operation::CommittingTurn) return away(message);
  if (consequence == Consequence::Superseded) return supersede(message);
  if (consequence == Consequence::Rejected) {
    back();
    events_.push_back(TurnRejected{turn_->number, sqlstate, message});
    turn_.reset();
    return;
  }
  if (consequence == Consequence::Retry && ++retries_ <= retries_max) return go_on();
  away(message);
}

void PostgresStore::away(const std::string& message) {
  writer_.close();
  loaded_ = {};
  jobs_loaded_ = {};
  known_blobs_.clear();  // the next connection may be to another database that lacks these blobs
  operation_ = Operation::Nothing;
  fenced_ = false;
  retries_ = 0;
  backoff_.failed(now_);
  report_away(message);
}

// Reports that the database is away, and again if the reason changes.
void PostgresStore::report_away(const std::string& message) {
  if (!away_ || message != away_why_) events_.push_back(StoreAway{message});
  away_ = true;
  away_why_ = message;
}

// Reports the database away if it has not answered for silence_max. Leaves the connection open,
// since the answer may still come and a new connection would go to the same server.
void PostgresStore::notice_silence() {
  const auto asked_at = writer_.asked_at();
  if (away_ || !asked_at || now_ - *asked_at < silence_max) return;
  report_away("it is connected but does not answer");
}

void PostgresStore::back() {
  backoff_.succeeded();
  if (away_) events_.push_back(StoreBack{});
  away_ = false;
}

void PostgresStore::supersede(const std::string& message, bool database_regressed) {
  writer_.close();
  operation_ = Operation::Nothing;
  superseded_ = true;
  turn_.reset();
  load_.reset();
  events_.push_back(Superseded{message, database_regressed});
}

}  // namespace cox
