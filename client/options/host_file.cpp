#include "client/options/host_file.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "common/base/count_format.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

constexpr std::string_view host_file_name = "SLURM_HOSTFILE=";
constexpr const char* not_read = "Failure getting NodeNames from hostfile";
constexpr const char* how_to_write_hosts =
    "write one node a line, or several separated by commas; n1*3 means three tasks on n1";

std::string_view without_comment(std::string_view line) {
  line = line.substr(0, line.find('#'));
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())))
    line.remove_suffix(1);
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.front())))
    line.remove_prefix(1);
  return line;
}

// Splits a line at commas, except within brackets: "n[1,3],m1" has two words.
std::vector<std::string_view> host_words(std::string_view line) {
  std::vector<std::string_view> words;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    const char c = i < line.size() ? line[i] : ',';
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (c != ',' || (depth > 0 && i < line.size())) continue;
    if (i > begin) words.push_back(line.substr(begin, i - begin));
    begin = i + 1;
  }
  return words;
}

Failure add_hosts(std::string_view word, std::vector<std::string>& names) {
  std::int64_t times = 1;
  if (const std::size_t star = word.find('*'); star != std::string_view::npos) {
    const auto count = parse_count(word.substr(star + 1), 1, limits::hostlist_nodes_max);
    if (!count) return count.refusal();
    times = *count;
    word = word.substr(0, star);
  }
  if (word.empty()) return Refusal{"a node's name is missing", "write NODE or NODE*COUNT"};
  const auto hosts = expand_hostlist(word);
  if (!hosts) return hosts.refusal();
  const std::size_t more = hosts->size() * static_cast<std::size_t>(times);
  if (names.size() + more > limits::hostlist_nodes_max)
    return Refusal{
        "the list has more than " + std::to_string(limits::hostlist_nodes_max) + " names",
        "name fewer nodes"};
  for (; times > 0; --times) names.insert(names.end(), hosts->begin(), hosts->end());
  return std::nullopt;
}

bool is_distribution(const std::string& stored) {
  return stored.starts_with("distribution=");
}

// Requests the named nodes. A job has equal room on all its nodes, so each node gets the CPUs for
// as many tasks as the node that is named most often.
void ask_for_hosts(const std::vector<std::string>& names, JobSpec& spec) {
  std::map<std::string_view, std::int64_t> tasks;
  std::int64_t most = 0;
  for (const std::string& name : names) most = std::max(most, ++tasks[name]);
  spec.nodes = std::ssize(tasks);
  spec.tasks = spec.nodes * most;
  spec.tasks_asked = true;
  spec.tasks_per_node = most;
}

}  // namespace

std::string host_file_variable(const std::vector<std::string>& environment) {
  for (const std::string& each : environment)
    if (each.starts_with(host_file_name)) return each.substr(host_file_name.size());
  return "";
}

void forget_places_of_steps(std::vector<std::string>& environment) {
  std::erase_if(environment, [](const std::string& each) {
    return each.starts_with(host_file_name) || each.starts_with("SLURM_CONTAINER=");
  });
}

Result<std::vector<std::string>> parse_host_file(std::string_view text, const std::string& path) {
  std::vector<std::string> names;
  std::int64_t line_number = 0;
  for (const std::string_view raw : split(text, '\n')) {
    ++line_number;
    for (const std::string_view word : host_words(without_comment(raw)))
      if (Failure failure = add_hosts(without_comment(word), names))
        return Refusal{std::string(not_read) + ": " + printable(path) + ", line " +
                           std::to_string(line_number) + ": " + failure->fact,
                       how_to_write_hosts};
  }
  if (names.empty())
    return Refusal{std::string(not_read) + ": " + printable(path) + " names no node",
                   how_to_write_hosts};
  return names;
}

Result<std::vector<std::string>> read_host_file(const std::string& path,
                                                const ReadFile& read_file) {
  const auto text = read_file ? read_file(path) : std::nullopt;
  if (!text)
    return Refusal{std::string(not_read) + ": cannot read " + printable(path), how_to_write_hosts};
  if (text->size() > limits::host_file_bytes_max)
    return Refusal{std::string(not_read) + ": " + printable(path) + " is larger than " +
                       std::to_string(limits::host_file_bytes_max) + " bytes",
                   how_to_write_hosts};
  return parse_host_file(*text, path);
}

Failure keep_first_hosts(std::vector<std::string>& names, std::int64_t count) {
  if (count <= 0) return std::nullopt;
  if (std::ssize(names) < count)
    return Refusal{"Too few NodeNames in Slurm Hostfile: " + std::to_string(names.size()) +
                       " for " + std::to_string(count) + " tasks",
                   "name a node for each task"};
  names.resize(static_cast<std::size_t>(count));
  return std::nullopt;
}

std::vector<std::string> nodes_among(std::vector<std::string> names) {
  sort_hostnames(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

HostsOfJob hosts_of(const SubmitOptions& asked, const SubmitSurroundings& around) {
  const bool as_listed = std::ranges::any_of(
      asked.spec.stored_options,
      [](const std::string& each) { return each.starts_with("distribution=arbitrary"); });
  return {host_file_variable(around.environment), as_listed, {}};
}

Failure resolve_hosts_of_job(const HostsOfJob& hosts, const ReadFile& read_file,
                             SubmitOptions& asked) {
  JobSpec& spec = asked.spec;
  const bool by_variable =
      asked.host_file.empty() && spec.nodelist.empty() && !hosts.variable.empty();
  const std::string& path = by_variable ? hosts.variable : asked.host_file;
  const bool as_listed = hosts.as_listed || by_variable;
  std::vector<std::string> names = hosts.names;
  if (!path.empty()) {
    auto read = read_host_file(path, read_file);
    if (!read) return read.refusal();
    names = std::move(*read);
  }
  if (names.empty()) return std::nullopt;
  if (as_listed) {
    const std::int64_t count = spec.tasks_asked ? spec.tasks : spec.nodes;
    if (Failure failure = keep_first_hosts(names, count)) return failure;
    ask_for_hosts(names, spec);
  }
  spec.nodelist = nodes_among(std::move(names));
  if (std::ssize(spec.nodelist) > limits::nodes_per_job_max)
    return Refusal{"the list names " + std::to_string(spec.nodelist.size()) +
                       " nodes; a job may have " + std::to_string(limits::nodes_per_job_max),
                   "name fewer nodes"};
  if (!by_variable) return std::nullopt;
  std::erase_if(spec.stored_options, is_distribution);
  spec.stored_options.push_back("distribution=arbitrary");
  asked.host_file = path;
  return std::nullopt;
}

}  // namespace cox
