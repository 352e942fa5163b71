// Makes launches (LaunchSpec) for tests, each by one call.
#pragma once

#include <string>
#include <vector>

#include "common/job/attempt.h"

namespace cox {

// Returns the launch of a gang on nodes n1, n2, … with `ranks_per_node` ranks each, as node n1 gets
// it.
inline LaunchSpec gang_launch(std::int32_t nodes, std::int32_t ranks_per_node) {
  LaunchSpec launch;
  launch.key = AttemptKey{JobId(17), AttemptNumber(1)};
  launch.cluster_name = "test";
  launch.spec.name = "train";
  launch.spec.form = JobForm::Gang;
  launch.spec.command = {"true"};
  launch.spec.user_name = "ada";
  launch.spec.work_dir = "/";
  launch.spec.tasks = nodes * ranks_per_node;
  launch.kill_wait_ms = 1'000;
  for (std::int32_t i = 0; i < nodes; ++i) {
    PlacedNode node;
    node.grant.node = "n" + std::to_string(i + 1);
    node.grant.first_rank = i * ranks_per_node;
    node.grant.ranks = ranks_per_node;
    node.grant.cpus = 4;
    node.address = "127.0.0." + std::to_string(11 + i);
    launch.nodes.push_back(node);
  }
  return launch;
}

inline LaunchSpec batch_launch(std::int32_t nodes) {
  LaunchSpec launch = gang_launch(nodes, 1);
  launch.spec.form = JobForm::Batch;
  launch.spec.command.clear();
  launch.script = "#!/bin/sh\ntrue\n";
  return launch;
}

}  // namespace cox
