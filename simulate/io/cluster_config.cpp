#include "simulate/io/cluster_config.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "common/io/config/config_file.h"
#include "common/io/config/config_overlay.h"

namespace cox::simulate {
namespace {

// Values for settings that the daemons of a cluster require and a simulation does not use. The
// simulation lays the user's coxswain.toml over them, so that a file without these settings, such
// as one written for `cox up --config`, can be parsed. The first line must be a comment
// (config_overlay.h).
constexpr const char* controller_needs =
    "# given\n[controller]\n"
    "database = \"dbname=none\"\n"
    "listen_local = \"ipc:///none\"\n"
    "checkpoint_root = \"/none\"\n";
constexpr const char* worker_needs =
    "# given\n[worker]\n"
    "controller = \"ipc:///none\"\n"
    "spool_dir = \"/none\"\n"
    "checkpoint_root = \"/none\"\n";

Result<ControllerConfig> controller_of(const ConfigOverlay& file) {
  const auto text = lay_over_controller(controller_needs, file);
  if (!text) return text.refusal();
  auto config = parse_config(*text, file.path);
  if (!config) return config.refusal();
  return std::move(config->controller);
}

Result<WorkerConfig> worker_of(const ConfigOverlay& file, const std::string& node) {
  const auto text = lay_over_worker(worker_needs, file, node);
  if (!text) return text.refusal();
  auto config = parse_config(*text, file.path);
  if (!config) return config.refusal();
  return std::move(config->worker);
}

// Returns the worker configurations of the nodes that partitions or [[node]] tables name.
Result<Workers> workers_in(const ConfigOverlay& file, const ControllerConfig& config) {
  const std::vector<std::string> described = nodes_named(file);
  std::set<std::string> names(described.begin(), described.end());
  for (const PartitionConfig& partition : config.partitions)
    names.insert(partition.nodes.begin(), partition.nodes.end());
  const auto like_all = worker_of(file, "");
  if (!like_all) return like_all.refusal();
  Workers workers;
  for (const std::string& name : names) {
    const bool own = std::ranges::find(described, name) != described.end();
    auto worker = own ? worker_of(file, name) : like_all;
    if (!worker) return worker.refusal();
    workers.emplace(name, std::move(*worker));
  }
  return workers;
}

// Reads the workers' configuration files of a private cluster, which `cox up` writes beside its
// coxswain.toml.
Result<Workers> private_workers(const std::filesystem::path& folder) {
  Workers workers;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (entry.path().extension() != ".toml") continue;
    auto config = read_config(entry.path().string());
    if (!config) return config.refusal();
    std::string name = config->worker.node_name;
    if (!name.empty()) workers.emplace(std::move(name), std::move(config->worker));
  }
  return workers;
}

}  // namespace

Result<Cluster> read_cluster_config(const std::string& path) {
  auto text = read_config_text(path);
  if (!text) return text.refusal();
  const ConfigOverlay file{path, std::move(*text)};
  const auto config = controller_of(file);
  if (!config) return config.refusal();
  Result<Workers> workers = Workers{};
  if (nodes_named(file).empty())
    workers = private_workers(std::filesystem::path(path).parent_path() / "workers");
  if (workers && workers->empty()) workers = workers_in(file, *config);
  if (!workers) return workers.refusal();
  auto cluster = cluster_of_config(*config, *workers);
  if (!cluster) return Refusal{path + ": " + cluster.refusal().fact, cluster.refusal().hint};
  return cluster;
}

}  // namespace cox::simulate
