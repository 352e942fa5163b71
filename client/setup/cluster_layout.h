// A private cluster (`cox up`) on disk: what is kept between ups, and the configuration files that
// follow from it. Pure; client/io/private/private_cluster writes and reads the files.
//
//   DIR/layout           these values, one "name value" a line
//   DIR/overlay.toml     a copy of the file last given with --config
//   (common/io/config/config_overlay.h) DIR/coxswain.toml    controller and client; what `cox` and
//   `./dev psql` read DIR/workers/nK.toml  one a worker DIR/keys, DIR/run, DIR/spool/nK,
//   DIR/checkpoints, DIR/log, DIR/pids postgres_home        PostgreSQL's data and its socket:
//   DIR/postgres where its account can
//                        get there, else a folder of its own
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "client/options.h"
#include "common/base/result.h"

namespace cox {

// Everything that `up` makes in DIR. Others' files it leaves alone, and refuses to move in with.
inline constexpr std::string_view names_in_cluster_dir[] = {
    "layout",          "layout.new", "coxswain.toml", "coxswain.toml.new",
    "database-made",   "pids",       "pids.new",      "keys",
    "workers",         "log",        "spool",         "run",
    "checkpoints",     "postgres",   "lock",          "overlay.toml",
    "overlay.toml.new"};

struct ClusterLayout {
  std::string dir;           // absolute; not written down: the cluster may be moved while down
  std::string cluster_name;  // unlike any other's on the machine: it marks the processes of jobs
  std::int64_t nodes = 1;
  std::int64_t cpus = 0;  // of each node; 0: as the machine has
  std::int64_t memory_mb = 0;
  std::vector<std::string> gpus;      // "h100:4"
  std::vector<std::string> features;  // "fast=n[1-2]"
  std::int64_t lease_s = -1;          // -1: the default; 0: never ends
  std::int64_t port = 0;              // of the controller on loopback
  std::string run_dir;                // the controller's socket
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

// What was asked this time, on top of what was kept.
Failure take_wishes(const PrivateClusterOptions& asked, ClusterLayout& layout);

// REQUIRES: everything in the layout is settled.
std::string controller_toml(const ClusterLayout& layout, const std::string& controller_key);
std::string worker_toml(const ClusterLayout& layout, std::int64_t k,
                        const std::string& controller_key, const std::string& supervisor_program);

}  // namespace cox
