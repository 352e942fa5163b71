// The PostgreSQL of a private cluster. It is made with initdb and listens on a Unix socket in its
// own folder, never on a network. PostgreSQL refuses to run as root. If the caller is root, it runs
// as the account `postgres`, and its data is in a folder that this account can reach.
#pragma once

#include <optional>
#include <string>

#include "client/io/private/daemons.h"
#include "client/setup/cluster_layout.h"

namespace cox {

// Makes the folder for PostgreSQL and sets layout.postgres_home.
Failure resolve_postgres_home(ClusterLayout& layout);

// Makes the database if it does not exist, and starts PostgreSQL if it does not run. Returns when
// PostgreSQL accepts connections.
Failure start_postgres(const ClusterLayout& layout);

// Returns the running PostgreSQL, found by its postmaster.pid.
std::optional<Daemon> running_postgres(const ClusterLayout& layout);

}  // namespace cox
