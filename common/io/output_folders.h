// Opens output files of jobs, and makes their folders. It is a library of its own, so that the
// supervisor can link it without ZeroMQ.
#pragma once

#include <string>

namespace cox {

// Opens a file as open(2) does. If its folder is missing and `flags` has O_CREAT, it makes the
// missing folders first, with mode 0755, as Slurm does: clients such as submitit name a folder
// after the job's id and make it when they get the id, when the job may run already. Allocates no
// memory, so that a child of vfork may call it.
int open_output(const std::string& path, int flags);

}  // namespace cox
