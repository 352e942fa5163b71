// Declares the command lines of private clusters, keys, snapshots and imports. command_options.h
// declares the rest.
#include <CLI/CLI.hpp>
#include <limits>

#include "client/command_options.h"
#include "common/base/limits.h"

namespace cox {
namespace {

constexpr std::int64_t private_nodes_max = 240;  // loopback addresses 127.0.0.11 and on
constexpr std::int64_t lease_s_max = 30ll * 24 * 3600;

}  // namespace

void declare_up(CLI::App& app, Options& options) {
  PrivateClusterOptions& cluster = options.cluster;
  app.add_option("-n,--nodes", cluster.nodes, "how many workers; else as last time, or 1")
      ->check(CLI::Range(std::int64_t{1}, private_nodes_max));
  declare_status(app, options);
  app.add_option("-c,--cpus", cluster.cpus, "of each node; else as the machine has")
      ->check(CLI::Range(1, 65536));
  app.add_option("-m,--memory", cluster.memory_mb, "of each node, in MB")
      ->check(CLI::Range(std::int64_t{1}, limits::memory_mb_per_node_max));
  app.add_option("--gpus", cluster.gpus, "of each node, e.g. h100:4 (as many are only counted)");
  app.add_option("--feature", cluster.features, "a feature and its nodes, e.g. fast=n[1-2]");
  app.add_option("--lease", cluster.lease_s, "seconds ranks outlive a silent node; 0: for ever")
      ->check(CLI::Range(std::int64_t{0}, lease_s_max));
  app.get_option("--config")
      ->description("a coxswain.toml with what these options do not say; else as last time");
}

void declare_down(CLI::App& app, Options& options) {
  declare_status(app, options);
  app.add_flag("--purge", options.cluster.purge, "remove its folder too: jobs, logs, checkpoints");
}

void declare_status(CLI::App& app, Options& options) {
  app.add_option("-d,--dir", options.cluster.dir, "the private cluster's folder")
      ->check([](const std::string& dir) {  // an unset variable must not mean the usual folder
        return dir.empty() ? std::string("the folder's name is empty") : std::string();
      });
}

void declare_demo(CLI::App& app, Options& options) {
  app.add_flag("--keep", options.cluster.keep, "leave its cluster running");
}

void declare_config_check(CLI::App& app, Options& options) {
  app.add_option("FILE", options.file, "the file; by default the one that programs would find");
}

void declare_import(CLI::App& app, Options& options) {
  app.add_option("FILE", options.words,
                 "slurm.conf, gres.conf, topology.conf, what sacctmgr dump wrote, or what "
                 "sacctmgr -P show qos prints")
      ->required();
  app.add_option("-o,--output", options.dir, "a folder for what it makes; else it is printed");
}

void declare_snapshot(CLI::App& app, Options& options) {
  app.add_option("FILE", options.file, "the file to write")->required();
}

void declare_replay(CLI::App& app, Options& options) {
  app.add_option("FILE", options.file, "a file that cox snapshot wrote")->required();
  app.add_option("-j,--job", options.replayed_job, "explain this job, as cox why does")
      ->check(CLI::Range(std::int64_t{1}, std::numeric_limits<std::int64_t>::max()));
}

void declare_key_make(CLI::App& app, Options& options) {
  app.add_option("NAME", options.key_name,
                 "controller, worker-NODE, or one that begins with client")
      ->required();
  app.add_option("-d,--dir", options.dir,
                 "the folder for NAME.key and NAME.pub; by default this one");
}

}  // namespace cox
