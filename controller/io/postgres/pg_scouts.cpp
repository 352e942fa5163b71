#include "controller/io/postgres/pg_scouts.h"

#include <algorithm>

namespace cox {
namespace {

constexpr Milliseconds look_interval{1'000};

}  // namespace

PgScouts::PgScouts(PgServers& servers) {
  if (servers.all().size() < 2) return;
  for (std::size_t server = 0; server < servers.all().size(); ++server)
    scouts_.push_back(std::make_unique<Scout>(servers, server));
}

void PgScouts::poll(Boot now) {
  for (const auto& scout : scouts_) poll(*scout, now);
}

void PgScouts::poll(Scout& scout, Boot now) {
  PgConnection& connection = scout.connection;
  if (connection.is_closed() && scout.backoff.is_due(now)) connection.connect(now);
  while (const auto answer = connection.poll(now)) {
    scout.has_looked = true;
    if (answer->kind == PgAnswer::Kind::Done || answer->kind == PgAnswer::Kind::Ready) {
      scout.backoff.succeeded();
      scout.ask_at = now + look_interval;
    } else {
      connection.close();
      scout.backoff.failed(now);
    }
  }
  if (connection.is_idle() && now >= scout.ask_at) connection.run({{"server_timeline", {}}}, now);
  epoll_.watch(connection);
}

Milliseconds PgScouts::next_in(Boot now) const {
  Milliseconds next = look_interval;
  for (const auto& scout : scouts_) {
    const PgConnection& connection = scout->connection;
    if (connection.is_closed()) next = std::min(next, scout->backoff.retry_at() - now);
    if (connection.is_idle()) next = std::min(next, scout->ask_at - now);
  }
  return std::max(next, Milliseconds{0});
}

bool PgScouts::have_looked() const {
  return std::ranges::all_of(scouts_, [](const auto& scout) { return scout->has_looked; });
}

}  // namespace cox
