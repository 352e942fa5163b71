// A coxswain.toml that a person wrote, laid over those that `cox up` writes for its programs: of
// the controller's [scheduling], partitions and topology come in; of a worker's what [worker] says,
// then each [[node]] that names it. Endpoints, keys, folders and names stay as `cox up` wrote them,
// so that a real cluster's file can be tried.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.h"

namespace cox {

struct ConfigOverlay {
  std::string path;  // as it is shown
  std::string text;  // empty: nothing is laid over
};

// The text to write instead of `written`, whose first line is a comment. What the overlay says
// wrongly is a Refusal with its line.
Result<std::string> lay_over_controller(const std::string& written, const ConfigOverlay& overlay);
Result<std::string> lay_over_worker(const std::string& written, const ConfigOverlay& overlay,
                                    const std::string& node);

// Those that its [[node]]s are about, in their order; what is wrong of them is left out.
std::vector<std::string> nodes_named(const ConfigOverlay& overlay);

}  // namespace cox
