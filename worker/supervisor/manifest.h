// The manifest of what one rank saved in a training step: every file with its size and its hash.
// io/files/seal.h writes and verifies it. The job's user can write to it, so its content is not
// trusted. Pure.
//
// The lines of a manifest:
//   coxswain-manifest 2 IDENTITY   identity of the job that saved it; 1 instead of 2: it has none
//   SIZE XXH3-128 PATH             one line for each file, PATH below the step's folder
//   end XXH3-128                   hash of all lines above
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
  std::string path;  // path below the step's folder
  std::int64_t bytes = 0;
  std::string hash;
  bool operator==(const SavedFile&) const = default;
};

struct Manifest {
  std::string identity;  // identity of the job: letters, digits and dashes; empty: it has none
  std::vector<SavedFile> files;
  bool operator==(const Manifest&) const = default;
};

std::string manifest_text(const Manifest& manifest);

// Parses a manifest. None: the text is not exactly what manifest_text() returns for some manifest.
std::optional<Manifest> parse_manifest(std::string_view text);

}  // namespace cox
