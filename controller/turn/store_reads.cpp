#include "controller/turn/store_reads.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/base/limits.h"

namespace cox {
namespace {

void ask_store(Store& store, std::int64_t ticket, const JobSelector& of, bool is_shown) {
  if (of.task >= 0)
    store.read_task(ticket, of.job, of.task);
  else
    store.read_job(ticket, of.job, is_shown);
}

void ask_store(Store& store, std::int64_t ticket, const HistoryWanted& what) {
  if (what.of.task >= 0)
    store.read_task(ticket, what.of.job, what.of.task);
  else if (what.whole_array)
    store.read_array_history(ticket, what.of.job, what.after_sequence);
  else
    store.read_history(ticket, what.of.job, what.after_sequence);
}

void ask_store(Store& store, std::int64_t ticket, const JobWanted& what) {
  ask_store(store, ticket, what.of, true);
}

void ask_store(Store& store, std::int64_t ticket, const LogWanted& what) {
  ask_store(store, ticket, what.of, true);
}

void ask_store(Store& store, std::int64_t ticket, const RecallWanted& what) {
  store.read_job(ticket, what.job, false);
}

void ask_store(Store& store, std::int64_t ticket, const ListAccounting& what) {
  store.read_accounting(ticket, what);
}

void ask_store(Store&, std::int64_t, const SubmissionWanted&) {
  CHECK(false && "ask_request() asks for it");
}

}  // namespace

void StoreReads::ask(std::vector<WantedRead> reads, Effects& effects) {
  for (auto& read : reads) {
    if (!may_ask(read.peer)) {
      const Refusal why{std::to_string(reads_.size()) + " queries are waiting for the database",
                        "try again in a moment"};
      effects.reply(read.peer, read.number, Refused{why, true});
      continue;
    }
    const std::int64_t ticket = next_ticket();
    std::visit([&](const auto& what) { ask_store(store_, ticket, what); }, read.what);
    reads_.emplace(ticket, std::move(read));
  }
}

void StoreReads::ask_request(const PeerName& peer, std::int64_t number,
                             const std::string& request_id, std::int64_t jobs_asked) {
  const std::int64_t ticket = next_ticket();
  store_.read_request(ticket, request_id);
  reads_.emplace(ticket, WantedRead{peer, number, SubmissionWanted{jobs_asked}});
}

std::optional<WantedRead> StoreReads::take(std::int64_t ticket) {
  auto read = reads_.extract(ticket);
  if (read.empty()) return std::nullopt;
  return std::move(read.mapped());
}

bool StoreReads::may_ask(const PeerName& peer) const {
  const auto is_its = [&](const auto& read) { return read.second.peer == peer; };
  return reads_.size() < limits::reads_waiting_max &&
         std::cmp_less(std::ranges::count_if(reads_, is_its), limits::reads_per_connection_max);
}

}  // namespace cox
