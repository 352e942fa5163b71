#include "client/slurm/text/version_text.h"

#include "common/base/slurm_version.h"

namespace cox {

std::string slurm_version_text() {
  return "slurm " + slurm_release + "\n";
}

}  // namespace cox
