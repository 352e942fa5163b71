// The PostgreSQL of a private cluster: made with initdb, on a Unix socket in a folder of its own,
// never on a network. PostgreSQL refuses to run as root: then it runs as the account `postgres`,
// whose data must lie where that account can get to.
#pragma once

#include <optional>
#include <string>

#include "client/io/private/daemons.h"
#include "client/setup/cluster_layout.h"

namespace cox {

// Fills in layout.postgres_home, and makes it.
Failure settle_postgres_home(ClusterLayout& layout);

// Makes the database if there is none, and starts it if it does not run. On return it answers.
Failure start_postgres(const ClusterLayout& layout);

// As its own pid file tells.
std::optional<Daemon> running_postgres(const ClusterLayout& layout);

}  // namespace cox
