// Reads nodes and partitions of a slurm.conf: CPUs, memory, GPUs and features. A line for DEFAULT
// applies to the lines after it. Included files are not read.
#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "common/base/hostlist.h"
#include "common/base/text.h"
#include "simulate/trace/cluster.h"
#include "simulate/trace/lines.h"

namespace cox::simulate {
namespace {

constexpr std::int64_t cpus_max = 1'000'000;
constexpr std::int64_t gpus_max = 64;
constexpr std::size_t nodes_max = 100'000;

// key=value pairs of a line; the keys in lower case
using Words = std::map<std::string, std::string>;

Words words_in(std::string_view line) {
  Words words;
  line = line.substr(0, line.find('#'));
  for (const std::string_view word : split(line, ' ')) {
    const std::size_t equals = word.find('=');
    if (equals == word.npos) continue;
    std::string key(word.substr(0, equals));
    for (char& c : key) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    words[key] = word.substr(equals + 1);
  }
  return words;
}

// Parses values of one line and keeps the first error.
class Reading {
 public:
  explicit Reading(const Words& words) : words_(words) {}

  const std::string& text(const std::string& key) const {
    static const std::string nothing;
    const auto found = words_.find(key);
    return found == words_.end() ? nothing : found->second;
  }
  std::int64_t count(const std::string& key, std::int64_t otherwise, std::int64_t most) {
    const std::string word = text(key);
    if (word.empty()) return otherwise;
    const auto number = whole_number(word);
    if (number && *number >= 1 && *number <= most) return *number;
    record_problem(key + " is " + quoted(word) + "; it must be a number from 1 to " +
                   std::to_string(most));
    return otherwise;
  }
  std::vector<std::string> hosts(const std::string& key) {
    const auto names = expand_hostlist(text(key));
    if (names) return *names;
    record_problem(key + ": " + names.refusal().fact);
    return {};
  }
  void record_problem(const std::string& fact) {
    if (wrong_.empty()) wrong_ = fact;
  }
  const std::string& wrong() const { return wrong_; }

 private:
  const Words& words_;
  std::string wrong_;
};

// Parses the GPUs of Gres, such as "gpu:a100:4,gpu:2,nvme:1".
std::vector<std::string> gpus_in(Reading& reading) {
  std::vector<std::string> gpus;
  for (const std::string_view one : split(reading.text("gres"), ',')) {
    const auto parts = split(one, ':');
    if (parts.front() != "gpu") continue;
    const auto number = parts.size() > 1 ? whole_number(parts.back()) : std::nullopt;
    const std::int64_t count = number.value_or(1);
    if (count < 1 || count > gpus_max || parts.size() > 3) {
      reading.record_problem("gres is " + quoted(reading.text("gres")));
      return {};
    }
    const bool is_typed = parts.size() == 3 || (parts.size() == 2 && !number);
    gpus.insert(gpus.end(), static_cast<std::size_t>(count), std::string(is_typed ? parts[1] : ""));
  }
  return gpus;
}

ClusterNode node_of(Reading& reading) {
  ClusterNode node;
  const std::int64_t threads = reading.count("sockets", 1, cpus_max) *
                               reading.count("corespersocket", 1, cpus_max) *
                               reading.count("threadspercore", 1, 1'024);
  node.cpu_milli = reading.count("cpus", std::min(threads, cpus_max), cpus_max) * 1'000;
  node.memory_mb = reading.count("realmemory", 1, count_max);
  node.gpus = gpus_in(reading);
  const std::string& plural = reading.text("features");
  const std::string& features = plural.empty() ? reading.text("feature") : plural;
  for (const std::string_view feature : split(features, ','))
    if (!feature.empty()) node.features.emplace_back(feature);
  std::ranges::sort(node.features);
  return node;
}

struct Read {
  Cluster cluster;
  std::set<std::string> names;
  Words node_default;
  Words partition_default;
};

std::string add_nodes(Words words, Read& read) {
  if (words.at("nodename") == "DEFAULT") {
    for (auto& [key, value] : words) read.node_default[key] = value;
    return "";
  }
  words.insert(read.node_default.begin(), read.node_default.end());
  Reading reading(words);
  ClusterNode node = node_of(reading);
  for (const std::string& name : reading.hosts("nodename")) {
    node.name = name;
    if (!read.names.insert(name).second) reading.record_problem("node " + name + " occurs twice");
    if (read.names.size() > nodes_max)
      reading.record_problem("there are more than " + std::to_string(nodes_max) + " nodes");
    read.cluster.nodes.push_back(node);
  }
  return reading.wrong();
}

std::string add_partition(Words words, Read& read) {
  if (words.at("partitionname") == "DEFAULT") {
    for (auto& [key, value] : words) read.partition_default[key] = value;
    return "";
  }
  words.insert(read.partition_default.begin(), read.partition_default.end());
  Reading reading(words);
  ClusterPartition partition{words.at("partitionname"), {}};
  if (reading.text("nodes") != "ALL" && !reading.text("nodes").empty())
    partition.nodes = reading.hosts("nodes");
  read.cluster.partitions.push_back(std::move(partition));
  return reading.wrong();
}

}  // namespace

Result<Cluster> cluster_of_slurm_conf(std::string_view text) {
  Read read;
  Lines lines(text);
  while (const auto line = lines.next()) {
    Words words = words_in(*line);
    std::string wrong;
    if (words.contains("nodename")) {
      wrong = add_nodes(std::move(words), read);
    } else if (words.contains("partitionname")) {
      wrong = add_partition(std::move(words), read);
    }
    if (!wrong.empty()) return at_line(lines.number(), wrong);
  }
  if (read.cluster.nodes.empty())
    return Refusal{"it names no node", "a slurm.conf has lines like NodeName=n[1-4] CPUs=32"};
  for (const ClusterPartition& partition : read.cluster.partitions)
    for (const std::string& node : partition.nodes)
      if (!read.names.contains(node))
        return Refusal{"partition " + quoted(partition.name) + " has node " + quoted(node) +
                           ", which no line describes",
                       ""};
  return read.cluster;
}

}  // namespace cox::simulate
