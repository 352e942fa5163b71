// cox-simulate: runs a trace through the scheduling engine in virtual time, or makes one decision
// again. `cox simulate` and `cox replay` start it.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <string>

#include "common/base/text.h"
#include "common/io/clock.h"
#include "common/syntax/simulate_options.h"
#include "simulate/io/inputs.h"
#include "simulate/report/report.h"
#include "simulate/run/arguments.h"
#include "simulate/run/fill.h"
#include "simulate/run/replay.h"
#include "simulate/trace/trace_reader.h"

namespace cox::simulate {
namespace {

constexpr int exit_ok = 0;
constexpr int exit_refused = 1;
constexpr int exit_usage = 2;
constexpr Milliseconds progress_on_terminal{1'000};
constexpr Milliseconds progress_in_log{10'000};

int refuse(const Refusal& why, int exit_code, const char* command = "cox simulate") {
  std::fprintf(stderr, "%s: %s\n", command, printable(why.fact).c_str());
  if (!why.hint.empty())
    std::fprintf(stderr, "%*s%s\n", static_cast<int>(std::string_view(command).size()) + 2, "",
                 printable(why.hint).c_str());
  return exit_code;
}

// Shows the progress of a simulation from time to time; on a terminal all in one line.
class ProgressLine {
 public:
  void operator()(std::size_t done, std::size_t all) {
    const Boot now = read_clock().boot;
    if (now - last_shown_ < (on_terminal_ ? progress_on_terminal : progress_in_log)) return;
    last_shown_ = now;
    std::fprintf(stderr, "%s%zu of %zu jobs%s", on_terminal_ ? "\r" : "", done, all,
                 on_terminal_ ? "  " : "\n");
    open_ = on_terminal_;
  }
  void end(std::size_t jobs) {
    const double seconds = static_cast<double>((read_clock().boot - began_).count()) / 1'000;
    std::fprintf(stderr, "%ssimulated %zu jobs in %.1f s\n", open_ ? "\r" : "", jobs, seconds);
  }

 private:
  Boot began_ = read_clock().boot;
  Boot last_shown_ = began_;
  bool on_terminal_ = ::isatty(STDERR_FILENO) == 1;
  bool open_ = false;
};

struct Reports {
  std::string text;
  std::string json;  // empty unless requested
  std::string svg;
};

struct Charged {
  Accounts accounts;
  std::vector<OwnerAt> owners;  // by job
};

// Reads the file of --accounts and charges each job to an owner in it. Empty if no such file is
// given.
Result<std::optional<Charged>> charged_in(const Arguments& arguments, const Trace& trace) {
  if (arguments.accounts.empty()) return std::optional<Charged>();
  const auto text = read_text(arguments.accounts);
  if (!text) return text.refusal();
  const auto in_file = [&arguments](const Refusal& why) {
    return Refusal{arguments.accounts + ": " + why.fact, why.hint};
  };
  auto accounts = read_accounts(*text);
  if (!accounts) return in_file(accounts.refusal());
  auto owners = charge(*accounts, trace.jobs);
  if (!owners) return in_file(owners.refusal());
  return std::optional(Charged{std::move(*accounts), std::move(*owners)});
}

Result<Reports> run_trace(const Arguments& arguments, const Setting& setting,
                          const Cluster& cluster, const Trace& trace) {
  auto engine = Engine::open(cluster, trace.jobs, arguments.policy);
  if (!engine) return engine.refusal();
  auto charged = charged_in(arguments, trace);
  if (!charged) return charged.refusal();
  std::optional<FairShares> shares;
  if (*charged) {
    shares.emplace((*charged)->accounts, (*charged)->owners, trace.jobs, arguments.half_life);
    (*engine)->set_accounts((*charged)->accounts, (*charged)->owners);
  }
  ProgressLine line;
  const auto simulated = simulate(
      cluster, trace.jobs, **engine, arguments.cost,
      [&line](auto done, auto all) { line(done, all); }, shares ? &*shares : nullptr);
  if (!simulated) return simulated.refusal();
  line.end(trace.jobs.size());
  const Summary summary = summary_of(cluster, trace, *simulated);
  std::optional<Fairness> fairness;
  if (*charged)
    fairness = fairness_of((*charged)->accounts, (*charged)->owners, trace.jobs, *simulated);
  const Fairness* fair = fairness ? &*fairness : nullptr;
  Reports reports{text_of(setting, cluster, summary, fair), "", ""};
  if (!arguments.json.empty()) reports.json = json_of(setting, trace, summary, *simulated, fair);
  if (!arguments.svg.empty()) reports.svg = svg_of(setting, cluster, *simulated, fair);
  return reports;
}

Result<Reports> run_fill(const Arguments& arguments, Setting setting, const Cluster& cluster,
                         const Trace& trace) {
  if (!std::ranges::any_of(trace.jobs, [](const TraceJob& job) { return job.gpus > 0; }) ||
      cluster.gpus() == 0)
    return Refusal{"a pod list needs GPUs, but no job or no node has one",
                   "name a cluster with GPUs: the table of nodes that belongs to the list"};
  setting.policy.order = "fcfs";
  // no reservations are needed, since a job that does not fit is dropped
  setting.policy.backfill = "none";
  const auto arrivals = inflate_and_shuffle(trace.jobs, cluster, arguments.seed);
  auto engine = Engine::open(cluster, arrivals, setting.policy);
  if (!engine) return engine.refusal();
  ProgressLine line;
  const Filled filled =
      fill(cluster, arrivals, **engine, [&line](auto done, auto all) { line(done, all); });
  line.end(arrivals.size());
  Reports reports{text_of(setting, cluster, filled), "", ""};
  if (!arguments.json.empty()) reports.json = json_of(setting, filled);
  if (!arguments.svg.empty()) reports.svg = svg_of(setting, filled);
  return reports;
}

Result<Trace> read_jobs(const Arguments& arguments, const Cluster& cluster) {
  const auto text = read_text(arguments.trace);
  if (!text) return text.refusal();
  auto format =
      arguments.format ? Result<Format>(*arguments.format) : guess_format(arguments.trace, *text);
  if (!format) return format.refusal();
  auto trace = read_trace(*format, *text);
  if (!trace) return Refusal{arguments.trace + ": " + trace.refusal().fact, trace.refusal().hint};
  fit_to(cluster, trace->jobs);
  let_some_report(trace->jobs, arguments.progress, arguments.seed);
  return trace;
}

// Checks that the output files can be written, before hours of simulation rather than after.
Failure check_outputs(const Arguments& arguments) {
  for (const std::string& path : {arguments.json, arguments.svg})
    if (!path.empty())
      if (auto failure = check_writable(path)) return failure;
  return std::nullopt;
}

int run(const Arguments& arguments) {
  if (const auto failure = check_outputs(arguments)) return refuse(*failure, exit_refused);
  const auto cluster = read_cluster(arguments.cluster);
  if (!cluster) return refuse(cluster.refusal(), exit_refused);
  const auto trace = read_jobs(arguments, *cluster);
  if (!trace) return refuse(trace.refusal(), exit_refused);
  const Setting setting{arguments.trace,
                        std::string(name(trace->format)),
                        arguments.cluster,
                        arguments.policy,
                        arguments.cost,
                        arguments.seed,
                        arguments.accounts,
                        arguments.half_life,
                        left_out(trace->format, cluster->left_out),
                        arguments.progress};
  if (const std::string text = left_out_text(setting); !text.empty())
    std::fprintf(stderr, "cox simulate: warning: %s\n", printable(text).c_str());
  const auto reports = trace->format == Format::Openb
                           ? run_fill(arguments, setting, *cluster, *trace)
                           : run_trace(arguments, setting, *cluster, *trace);
  if (!reports) return refuse(reports.refusal(), exit_refused);
  std::fputs(reports->text.c_str(), stdout);
  Failure failure;
  if (!arguments.json.empty()) failure = write_text(arguments.json, reports->json);
  if (!failure && !arguments.svg.empty()) failure = write_text(arguments.svg, reports->svg);
  if (failure) return refuse(*failure, exit_refused);
  return std::fflush(stdout) == 0 ? exit_ok : exit_refused;
}

// Runs `cox replay FILE [--job N] [--json]`; cox has validated the command line.
int run_replay(int argc, char** argv) {
  CLI::App app("repeat the decision of a saved snapshot, and explain it", "cox replay");
  std::string file;
  std::int64_t job = 0;
  bool json = false;
  app.add_option("FILE", file)->required();
  app.add_option("--job", job);
  app.add_flag("--json", json);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    return refuse({error.what(), "see 'cox replay --help'"}, exit_usage, "cox replay");
  }
  const auto text = read_text(file);
  if (!text) return refuse(text.refusal(), exit_refused, "cox replay");
  const auto replayed = replay(*text, job > 0 ? std::optional(JobId{job}) : std::nullopt);
  if (!replayed) return refuse(replayed.refusal(), exit_refused, "cox replay");
  std::fputs((json ? json_of(*replayed) : text_of(*replayed)).c_str(), stdout);
  return std::fflush(stdout) == 0 ? exit_ok : exit_refused;
}

}  // namespace
}  // namespace cox::simulate

int main(int argc, char** argv) {
  using namespace cox;
  if (argc > 1 && std::string_view(argv[1]) == "replay")
    return simulate::run_replay(argc - 1, argv + 1);
  CLI::App app("run a trace of jobs through the scheduling engine, in virtual time",
               "cox simulate");
  app.get_formatter()->column_width(28);
  app.set_help_flag("-h,--help", "this text");
  app.set_version_flag("--version", "cox-simulate " COX_VERSION);
  std::map<std::string, std::string> given;
  for (const SimulateOption& each : simulate_options) {
    const std::string word(each.name);
    CLI::Option* option = app.add_option("--" + word, given[word], std::string(each.help));
    option->type_name(std::string(each.value_name))->required(each.required);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0
               ? app.exit(error)
               : simulate::refuse({error.what(), "see 'cox simulate --help'"},
                                  simulate::exit_usage);
  }
  const auto arguments = simulate::read_arguments(given);
  if (!arguments) return simulate::refuse(arguments.refusal(), simulate::exit_usage);
  return simulate::run(*arguments);
}
