// Reads and writes the files of a simulation.
#pragma once

#include <string>

#include "common/base/result.h"
#include "simulate/trace/cluster.h"

namespace cox::simulate {

// Reads a whole file, and inflates it if it is gzip.
Result<std::string> read_text(const std::string& path);
Failure write_text(const std::string& path, const std::string& text);
// Returns the refusal that write_text() would return now, without changing an existing file.
Failure check_writable(const std::string& path);

// Reads the value of --cluster: a specification with '=', or the path of a coxswain.toml, of a
// slurm.conf or of a table of nodes.
Result<Cluster> read_cluster(const std::string& spec);

}  // namespace cox::simulate
