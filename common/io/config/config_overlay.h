// Lays a coxswain.toml that a person wrote (the overlay) over the files that `cox up` writes for
// its programs. From the overlay, the controller gets [scheduling], partitions and topology; a
// worker gets [worker], then each [[node]] that names it. Endpoints, keys, folders and names stay
// as `cox up` wrote them, so that the file of a real cluster can be tried.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.h"

namespace cox {

struct ConfigOverlay {
  std::string path;  // for messages
  std::string text;  // empty: no overlay
};

// These return the new text of a program's file. `written` is the text that `cox up` wrote, whose
// first line is a comment. A mistake in the overlay is a Refusal with its line.
Result<std::string> lay_over_controller(const std::string& written, const ConfigOverlay& overlay);
Result<std::string> lay_over_worker(const std::string& written, const ConfigOverlay& overlay,
                                    const std::string& node);

// Returns the nodes that the [[node]] tables name, in the order of the file; skips tables that are
// invalid.
std::vector<std::string> nodes_named(const ConfigOverlay& overlay);

}  // namespace cox
