// Reads the events of UB CCR's Slurm simulator: "-dt SECONDS -e submit_batch_job | " and the
// arguments of sbatch, with -sim-walltime as the run time. Of the options it reads those about the
// size of the job.
#include <algorithm>
#include <map>

#include "common/base/text.h"
#include "common/base/time_format.h"
#include "common/resources/tres.h"
#include "simulate/trace/lines.h"
#include "simulate/trace/readers.h"

namespace cox::simulate {
namespace {

// values by option; the keys include the dashes
using Options = std::map<std::string, std::string, std::less<>>;

constexpr std::int64_t cpus_per_task_max = 1'000'000;

// Parses options like "-N 1" and "--mem=500G"; ignores words that belong to no option.
Options options_in(std::string_view line) {
  Options options;
  std::string open;
  for (const std::string_view word : split(line, ' ')) {
    if (word.empty()) continue;
    const std::size_t equals = word.find('=');
    if (word.starts_with("--") && equals != word.npos) {
      options[std::string(word.substr(0, equals))] = word.substr(equals + 1);
      open.clear();
    } else if (word.starts_with('-')) {
      open = word;
      options[open] = "";
    } else if (!open.empty()) {
      options[open] = word;
      open.clear();
    }
  }
  return options;
}

// The options of one event of the trace; keeps the first error in them.
class Event {
 public:
  explicit Event(std::string_view line) : options_(options_in(line)) {}

  bool has(std::string_view option) const { return options_.contains(option); }
  std::string text(std::string_view option) const {
    const auto found = options_.find(option);
    return found == options_.end() ? "" : found->second;
  }
  std::int64_t whole_number_in(std::string_view option, std::int64_t otherwise, std::int64_t most) {
    const std::string word = text(option);
    if (word.empty()) return otherwise;
    const auto number = whole_number(word);
    if (number && *number >= 1 && *number <= most) return *number;
    record_problem(option, word + " is not a number from 1 to " + std::to_string(most));
    return otherwise;
  }
  Milliseconds seconds(std::string_view option) {
    const auto number = finite_number(text(option));
    if (number && *number >= 0 && *number <= seconds_max) return from_seconds(*number);
    record_problem(option, quoted(text(option)) + " is not a number of seconds from 0");
    return Milliseconds{0};
  }
  template <class Value>
  std::optional<Value> parsed(std::string_view option, Result<Value> (*parse)(std::string_view)) {
    const std::string word = text(option);
    if (word.empty()) return std::nullopt;
    const auto value = parse(word);
    if (value) return *value;
    record_problem(option, value.refusal().fact);
    return std::nullopt;
  }
  const std::string& wrong() const { return wrong_; }
  void record_problem(std::string_view option, const std::string& fact) {
    if (wrong_.empty()) wrong_ = std::string(option) + ": " + fact;
  }

 private:
  Options options_;
  std::string wrong_;
};

Result<std::int64_t> memory_mb(std::string_view word) {
  const auto list = parse_tres("mem=" + std::string(word));
  if (!list) return list.refusal();
  return list->front().count;
}

// Sets the job's GPUs from --gres, like gpu:2 or gpu:tesla_v100:2.
void read_gres(Event& event, TraceJob& job) {
  const std::string gres = event.text("--gres");
  if (gres.empty()) return;
  const auto parts = split(gres, ':');
  const auto count = parts.size() > 1 ? whole_number(parts.back()) : std::optional<std::int64_t>(1);
  if (parts.front() != "gpu" || parts.size() > 3 || !count || *count < 1 || *count > count_max)
    return event.record_problem("--gres", quoted(gres) + " is not like gpu:2");
  job.gpus = *count;
  if (parts.size() == 3) job.gpu_types = {std::string(parts[1])};
}

// Returns the job of the event. Slurm ends a job at its time limit, so the run time is at most
// that.
TraceJob job_of(Event& event) {
  TraceJob job;
  job.name = event.text("-J");
  job.submit = event.seconds("-dt");
  job.run = event.seconds("-sim-walltime");
  if (const auto limit = event.parsed("-t", parse_time_limit); limit && *limit > 0) {
    job.estimate = Milliseconds{*limit * 1'000};
    job.run = std::min(job.run, *job.estimate);
  }
  job.nodes = event.whole_number_in("-N", 1, count_max);
  job.tasks = event.whole_number_in("-n", job.nodes, count_max);
  job.cpu_milli_per_task = event.whole_number_in("-c", 1, cpus_per_task_max) * 1'000;
  job.memory_mb_per_node = event.parsed("--mem", memory_mb).value_or(0);
  read_gres(event, job);
  job.partition = event.text("-p");
  job.constraint = event.text("--constraint");
  job.prefer = event.text("--prefer");
  job.min_cpus = event.whole_number_in("--mincpus", 0, cpus_per_task_max);
  job.contiguous = event.has("--contiguous");
  job.account = event.text("-A");
  job.user = event.text("--uid");
  return job;
}

}  // namespace

Result<Trace> read_slurm_sim(std::string_view text) {
  Trace trace;
  Lines lines(text);
  while (const auto line = lines.next()) {
    if (line->find_first_not_of(" \t") == line->npos || line->starts_with('#')) continue;
    Event event(*line);
    const bool is_job = event.text("-e") == "submit_batch_job";
    TraceJob job = is_job ? job_of(event) : TraceJob{};
    if (!event.wrong().empty()) return at_line(lines.number(), event.wrong());
    const bool ran = is_job && job.run.count() > 0;
    if (ran) trace.jobs.push_back(std::move(job));
    if (!ran) ++trace.skipped;
  }
  return trace;
}

}  // namespace cox::simulate
