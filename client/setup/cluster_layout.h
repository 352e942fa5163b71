// The files of a private cluster (`cox up`): the values kept from one `cox up` to the next, and the
// configuration files made from them. Pure; client/io/private/private_cluster reads and writes the
// files.
//
//   DIR/layout           the values of ClusterLayout, one "name value" per line
//   DIR/overlay.toml     copy of the file last given with --config
//                        (common/io/config/config_overlay.h)
//   DIR/coxswain.toml    for the controller and clients (`cox`, `./dev psql`)
//   DIR/workers/nK.toml  one per worker
//   DIR/keys, DIR/run, DIR/spool/nK, DIR/checkpoints, DIR/log, DIR/pids
//   postgres_home        PostgreSQL's data and socket: DIR/postgres if its account can reach
//                        that, else a separate folder
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace cox {

// All names that `cox up` creates in DIR. It refuses to make a new cluster in a folder that has
// other files, and changes no others.
inline constexpr std::string_view names_in_cluster_dir[] = {
    "layout",          "layout.new", "coxswain.toml", "coxswain.toml.new",
    "database-made",   "pids",       "pids.new",      "keys",
    "workers",         "log",        "spool",         "run",
    "checkpoints",     "postgres",   "lock",          "overlay.toml",
    "overlay.toml.new"};

struct ClusterLayout {
  // Absolute path of the cluster's folder; not stored in DIR/layout, since DIR may be moved while
  // the cluster is down.
  std::string dir;
  // Unique on this machine, because it identifies the cluster in the environment of jobs'
  // processes.
  std::string cluster_name;
  std::int64_t nodes = 1;
  std::int64_t cpus = 0;  // CPUs of each node; 0: as many as the machine has
  std::int64_t memory_mb = 0;
  std::vector<std::string> gpus;      // "h100:4"
  std::vector<std::string> features;  // "fast=n[1-2]"
  std::int64_t lease_s = -1;          // lease in seconds; below 0: default; 0: never ends
  std::int64_t port = 0;              // TCP port of the controller, on loopback
  std::string run_dir;                // folder of the controller's Unix socket
  std::string postgres_home;

  std::string config_path() const { return dir + "/coxswain.toml"; }
  std::string overlay_path() const { return dir + "/overlay.toml"; }
  std::string worker_config_path(std::int64_t k) const;
  std::string local_endpoint() const { return "ipc://" + run_dir + "/controller.sock"; }
  std::string postgres_data() const { return postgres_home + "/data"; }
  std::string postgres_socket_dir() const { return postgres_home + "/socket"; }
  std::string log_path(const std::string& daemon) const { return dir + "/log/" + daemon + ".log"; }
};

std::string node_name(std::int64_t k);  // "n1"

std::string layout_text(const ClusterLayout& layout);
Result<ClusterLayout> parse_layout(const std::string& text, const std::string& dir);

// The options of `cox up`. "As before" means the value of the existing cluster, if there is one.
struct ClusterOverrides {
  std::int64_t nodes = 0;      // number of nodes; 0: as before, or 1
  std::int64_t cpus = 0;       // CPUs of each node; 0: as before, or as many as the machine has
  std::int64_t memory_mb = 0;  // MiB of each node; 0: as before, or what the machine has
  std::vector<std::string> gpus;
  std::vector<std::string> features;
  std::int64_t lease_s = -1;  // lease in seconds; below 0: as before, or the default; 0: never ends
};

// Applies the options of this `cox up` to the layout of the existing cluster. Fails if a value is
// invalid.
Failure apply_overrides(const ClusterOverrides& asked, ClusterLayout& layout);

// These return the texts of DIR/coxswain.toml and DIR/workers/nK.toml. REQUIRES: the layout is
// complete.
std::string controller_toml(const ClusterLayout& layout, const std::string& controller_key);
std::string worker_toml(const ClusterLayout& layout, std::int64_t k,
                        const std::string& controller_key, const std::string& supervisor_program);

}  // namespace cox
