// cox-bench: the load program of ./dev bench. Each subcommand measures one thing and prints its
// figures. bench.py calls them and compares the figures.
#include <CLI/CLI.hpp>

#include "bench/calibrate_database.h"
#include "bench/calibrate_processes.h"
#include "bench/history.h"
#include "bench/measure.h"
#include "bench/scenarios.h"
#include "common/io/config/config_file.h"

namespace cox::bench {
namespace {

struct Words {
  std::string database, config, folder, program, saver;
  int clients = 1, nodes = 4, ranks = 64, count = 100, rounds = 1, pid = 0;
  std::int64_t jobs = 1'000, each = 1'000, cpus = 1, bytes = 0;
  double seconds = 3;

  ClientConfig client() const {
    auto read = read_config(config);
    if (!read) give_up(read.refusal().fact);
    return read->client;
  }
};

void add_calibrators(CLI::App& app, Words& w) {
  const auto add = [&](const char* name, const char* about, auto run) {
    CLI::App* sub = app.add_subcommand(name, about);
    sub->add_option("--database", w.database);
    sub->add_option("--folder", w.folder);
    sub->add_option("--program", w.program);
    sub->add_option("--clients", w.clients);
    sub->add_option("--count", w.count);
    sub->add_option("--jobs", w.jobs);
    sub->add_option("--seconds", w.seconds);
    sub->callback(run);
  };
  add("commits", "single-row commits",
      [&w] { calibrate_commits(w.database, w.clients, w.seconds); });
  add("copy", "COPY of job rows", [&w] { calibrate_copy(w.database, w.jobs); });
  add("lifecycles", "lifecycles by SQL alone", [&w] { calibrate_lifecycles(w.database, w.jobs); });
  add("spawn", "a static no-op", [&w] { calibrate_spawn(w.program, w.count); });
  add("spawn-together", "many at once", [&w] { calibrate_spawn_together(w.program, w.count, 20); });
  add("scripts", "sh with two output files", [&w] { calibrate_scripts(w.folder, w.count); });
  add("round-trips", "a message there and back",
      [&w] { calibrate_round_trips(w.folder, w.count); });
  // `history` is no calibrator, but it also writes rows only by SQL.
  add("history", "rows of jobs that ended long ago", [&w] { write_history(w.database, w.jobs); });
}

void add_scenarios(CLI::App& app, Words& w) {
  const auto add = [&](const char* name, const char* about, auto run) {
    CLI::App* sub = app.add_subcommand(name, about);
    sub->add_option("--config", w.config)->required();
    sub->add_option("--database", w.database);
    sub->add_option("--folder", w.folder);
    sub->add_option("--program", w.program);
    sub->add_option("--saver", w.saver);
    sub->add_option("--clients", w.clients);
    sub->add_option("--nodes", w.nodes);
    sub->add_option("--cpus", w.cpus);
    sub->add_option("--ranks", w.ranks);
    sub->add_option("--count", w.count);
    sub->add_option("--jobs", w.jobs);
    sub->add_option("--each", w.each);
    sub->add_option("--rounds", w.rounds);
    sub->add_option("--bytes", w.bytes);
    sub->add_option("--pid", w.pid);
    sub->add_option("--seconds", w.seconds);
    sub->callback(run);
  };
  add("submit", "held jobs", [&w] { measure_submits(w.client(), w.clients, w.jobs); });
  add("bulk", "held jobs, many a request", [&w] { measure_bulk(w.client(), w.jobs, w.each); });
  add("script-jobs", "no-op scripts", [&w] { measure_scripts(w.client(), w.jobs); });
  add("null-jobs", "jobs on fake nodes",
      [&w] { measure_null(w.client(), w.nodes, w.jobs, w.rounds); });
  add("aged", "jobs on fake nodes, beside a transaction that stays open",
      [&w] { measure_aged(w.client(), w.database, w.nodes, w.jobs, w.rounds, w.seconds); });
  add("backlog", "jobs that stay queued", [&w] { submit_backlog(w.client(), w.jobs, w.cpus); });
  add("running", "jobs that run until this program ends",
      [&w] { keep_jobs_running(w.client(), w.jobs); });
  add("idle", "fake nodes send heartbeats",
      [&w] { measure_idle(w.client(), w.nodes, w.seconds, w.pid); });
  add("dispatch", "call to first instruction",
      [&w] { measure_dispatch(w.client(), w.program, w.folder, w.nodes, w.count); });
  add("preemption", "with victims in the way",
      [&w] { measure_preemption(w.client(), w.program, w.folder, w.nodes, w.count); });
  add("return", "return of a preempted job",
      [&w] { measure_return(w.client(), w.program, w.saver, w.folder, w.bytes, w.count); });
  add("gang", "all ranks run",
      [&w] { measure_gang(w.client(), w.program, w.folder, w.nodes, w.ranks, w.count); });
}

}  // namespace
}  // namespace cox::bench

int main(int argc, char** argv) {
  CLI::App app("The load of ./dev bench.");
  cox::bench::Words words;
  cox::bench::add_calibrators(app, words);
  cox::bench::add_scenarios(app, words);
  app.require_subcommand(1);
  CLI11_PARSE(app, argc, argv);
  return 0;
}
