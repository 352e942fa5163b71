// The folders of an output file. Alone in its library, so that the supervisor can link it.
#pragma once

#include <string>

namespace cox {

// Opens a file as open(2) does. If its folder is missing and `flags` has O_CREAT, it makes the
// missing folders first, with mode 0755, as Slurm does: clients such as submitit name a folder
// after the job's id and make it once they know the id, when the job may run already. Allocates
// nothing, so a child of vfork may call it.
int open_output(const std::string& path, int flags);

}  // namespace cox
