#include "controller/io/records/pg_reader.h"

#include "common/base/limits.h"
#include "controller/io/records/pg_records.h"

namespace cox {
namespace {

constexpr int refusals_max = 3;  // a read fails when the database has refused it so many times

struct StatementsOf {
  std::vector<PgStatement> operator()(const ReadHistory& read) const {
    // Reads one row more than a page holds, to find out whether there are more.
    return {
        {"read_history",
         {pg_text(read.job), pg_text(read.after_sequence), pg_text(limits::page_rows_max + 1)}}};
  }
  std::vector<PgStatement> operator()(const ReadArrayHistory& read) const {
    return {
        {"read_array_history",
         {pg_text(read.array), pg_text(read.after_sequence), pg_text(limits::page_rows_max + 1)}}};
  }
  std::vector<PgStatement> operator()(const ReadJob& read) const {
    const std::vector<PgText> job{pg_text(read.job)};
    std::vector<PgStatement> statements{{"begin_reading", {}},  {"read_job", job},
                                        {"read_attempts", job}, {"read_attempt_nodes", job},
                                        {"read_ranks", job},    {"read_checkpoints", job}};
    if (read.and_rows) statements.push_back({"read_array", job});
    statements.push_back({"commit", {}});
    return statements;
  }
  std::vector<PgStatement> operator()(const ReadTask& read) const {
    return {{"read_task", {pg_text(read.array), pg_text(read.task)}}};
  }
  std::vector<PgStatement> operator()(const ReadRequest& read) const {
    return {{"read_request", {read.request_id}}};
  }
  std::vector<PgStatement> operator()(const ReadAccounting& read) const {
    const ListAccounting& ask = read.ask;
    const RecordIds ids = selected_ids(ask);
    std::vector<PgText> filters{pg_text(ask.after),
                                pg_text(ids.whole),
                                pg_text(ids.arrays),
                                pg_text(ids.tasks),
                                pg_text(ask.users),
                                pg_text(ask.accounts),
                                pg_text(ask.partitions),
                                pg_text(ask.qos),
                                pg_text(ask.names),
                                pg_text(ask.nodes),
                                pg_text(selected_states(ask)),
                                pg_text(ask.since),
                                pg_text(ask.until),
                                pg_text(record_jobs_per_page_max + 1)};
    return {{"begin_reading", {}},
            {"accounting_plans", {}},
            {"read_accounting", std::move(filters)},
            {"commit", {}}};
  }
  std::vector<PgStatement> operator()(const ReadRuns& read) const {
    std::vector<JobId> ids;
    for (const JobRecord& record : read.jobs) ids.push_back(record.job.id);
    const StepKey& behind = read.ask.after_step;
    const std::size_t steps = read.ask.steps ? record_steps_per_page_max + 1 : 0;
    return {{"begin_reading", {}},
            {"read_accounting_runs", {pg_text(ids), pg_text(read.ask.all_runs)}},
            {"read_accounting_steps",
             {pg_text(ids), pg_text(read.ask.all_runs), pg_text(behind.attempt.job),
              pg_text(behind.attempt.attempt), pg_text(behind.number), pg_text(steps)}},
            {"read_first_moment", {}},
            {"commit", {}}};
  }
  std::vector<PgStatement> operator()(const ReadQos&) const { return {{"load_qos", {}}}; }
  std::vector<PgStatement> operator()(const ReadRequests&) const { return {{"read_requests", {}}}; }
};

std::vector<ArrayRow> array_rows_from(const PgRows& rows) {
  std::vector<ArrayRow> found;
  RowReader reader(rows);
  while (reader.next()) {
    ArrayRow& row = found.emplace_back();
    reader("row_id", row.id);
    reader("row_state", row.fate.state);
    reader("row_exit_code", row.fate.exit_code);
    reader("row_exit_signal", row.fate.exit_signal);
    reader("array_task", row.task);
    reader("array_tasks", row.tasks);
    reader("row_ended", row.ended);
  }
  return found;
}

HistoryRead history_from(std::int64_t ticket, const PgRows& rows) {
  HistoryRead page{ticket, events_from(rows), false, {}};
  if (page.events.size() > limits::page_rows_max) {
    page.events.resize(limits::page_rows_max);
    page.more = true;
  }
  return page;
}

HistoryRead array_history_from(std::int64_t ticket, JobId array, const PgRows& rows) {
  HistoryRead page = history_from(ticket, rows);
  const std::vector<ArrayRow> tellers = array_rows_from(rows);
  for (std::size_t i = 0; i < page.events.size(); ++i)
    page.job_names.push_back(command_id(array, tellers[i], page.events[i].attempt));
  return page;
}

Wall first_moment_from(const PgRows& rows) {
  Wall first{};
  RowReader reader(rows);
  if (reader.next()) reader("first_moment", first);
  return first;
}

}  // namespace

std::vector<StoreEvent> PgReader::poll(Boot now) {
  std::vector<StoreEvent> events;
  if (connection_.is_closed() && !waiting_.empty() && backoff_.is_due(now))
    connection_.connect(now);
  // After an answer the next read begins, and its answer may have arrived already. A read has at
  // most two answers here, so the loop runs at most twice for each queued read, and two times more.
  for (std::size_t rounds = waiting_.size() * 2 + 2; rounds > 0; --rounds) {
    auto answer = connection_.poll(now);
    if (answer) {
      if (auto event = on_answer(std::move(*answer), now)) events.push_back(std::move(*event));
    }
    if (!connection_.is_idle() || waiting_.empty()) break;
    connection_.run(std::visit(StatementsOf{}, waiting_.front().what), now);
  }
  return events;
}

std::optional<Boot> PgReader::wake_at() const {
  if (connection_.is_closed() && !waiting_.empty()) return backoff_.retry_at();
  return connection_.deadline();
}

std::optional<StoreEvent> PgReader::on_answer(PgAnswer answer, Boot now) {
  switch (answer.kind) {
    case PgAnswer::Kind::Ready: return std::nullopt;
    case PgAnswer::Kind::Lost: backoff_.failed(now); return std::nullopt;
    case PgAnswer::Kind::Failed: return give_up_or_repeat(answer.message);
    case PgAnswer::Kind::Done: break;
  }
  backoff_.succeeded();
  refusals_ = 0;
  const PgRead read = std::move(waiting_.front());
  waiting_.pop_front();
  return on_rows(read, answer.rows);
}

std::optional<StoreEvent> PgReader::on_rows(const PgRead& read, const std::vector<PgRows>& rows) {
  if (std::holds_alternative<ReadHistory>(read.what)) return history_from(read.ticket, rows.at(0));
  if (const auto* of = std::get_if<ReadArrayHistory>(&read.what))
    return array_history_from(read.ticket, of->array, rows.at(0));
  if (std::holds_alternative<ReadQos>(read.what)) return QosRead{read.ticket, qos_from(rows.at(0))};
  if (std::holds_alternative<ReadRequests>(read.what))
    return RequestsRead{read.ticket, requests_from(rows.at(0))};
  if (const auto* of = std::get_if<ReadJob>(&read.what))
    return JobRead{read.ticket, jobs_from(rows.at(1)),
                   attempts_from(rows.at(2), rows.at(3), rows.at(4)), checkpoints_from(rows.at(5)),
                   of->and_rows ? array_rows_from(rows.at(6)) : std::vector<ArrayRow>{}};
  if (const auto* of = std::get_if<ReadAccounting>(&read.what)) {
    waiting_.push_front({read.ticket, ReadRuns{of->ask, job_records_from(rows.at(2))}});
    return std::nullopt;
  }
  if (const auto* of = std::get_if<ReadRuns>(&read.what)) {
    AccountingRead page{
        read.ticket, page_of({of->jobs, runs_from(rows.at(1)), steps_from(rows.at(2))}, of->ask)};
    page.page.first_moment = first_moment_from(rows.at(3));
    return page;
  }
  if (rows.at(0).size() == 0) return JobRead{read.ticket, {}, {}, {}, {}};
  waiting_.push_front({read.ticket, ReadJob{JobId{rows[0].number(0, "id")}}});
  return std::nullopt;
}

std::optional<StoreEvent> PgReader::give_up_or_repeat(const std::string& message) {
  if (++refusals_ < refusals_max) return std::nullopt;
  refusals_ = 0;
  const std::int64_t ticket = waiting_.front().ticket;
  waiting_.pop_front();
  return ReadFailed{ticket, message};
}

}  // namespace cox
