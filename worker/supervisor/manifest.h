// The manifest of what one rank saved in a step: every file with its size and its hash.
// seal.h (io/) makes it and verifies by it; it lies where the job's user may write. Pure.
//
//   coxswain-manifest 1
//   SIZE XXH3-128 PATH        one line a file, PATH below the step's folder
//   end XXH3-128              of all lines before
//
// In PATH a control character and '%' are written %XX.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cox {

struct SavedFile {
  std::string path;  // below the step's folder
  std::int64_t bytes = 0;
  std::string hash;
  bool operator==(const SavedFile&) const = default;
};

std::string manifest_text(const std::vector<SavedFile>& files);

// Nothing: it is not, byte for byte, what manifest_text makes of any files that could be.
std::optional<std::vector<SavedFile>> parse_manifest(std::string_view text);

}  // namespace cox
