// The files a simulation reads and writes.
#pragma once

#include <string>

#include "common/base/result.h"
#include "simulate/trace/cluster.h"

namespace cox::simulate {

// All of a file, inflated if it is gzip.
Result<std::string> read_text(const std::string& path);
Failure write_text(const std::string& path, const std::string& text);
// What write_text would say now; whatever is there stays as it is.
Failure check_writable(const std::string& path);

// What --cluster says: words with '=', else the path of a coxswain.toml, of a slurm.conf or
// of a table of nodes.
Result<Cluster> read_cluster(const std::string& spec);

}  // namespace cox::simulate
