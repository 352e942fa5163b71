// The manifest of what one rank saved in a step: every file with its size and its hash.
// seal.h (io/) makes it and verifies by it; it lies where the job's user may write. Pure.
//
//   coxswain-manifest 2 IDENTITY   of the job that saved it; "coxswain-manifest 1": it has none
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

struct Manifest {
  std::string identity;  // letters, digits and dashes; empty: the job has none
  std::vector<SavedFile> files;
  bool operator==(const Manifest&) const = default;
};

std::string manifest_text(const Manifest& manifest);

// Nothing: it is not, byte for byte, what manifest_text makes of any manifest that could be.
std::optional<Manifest> parse_manifest(std::string_view text);

}  // namespace cox
