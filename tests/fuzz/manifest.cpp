// Fuzz target for the manifest of a saved step. Checks that only text in the exact form that a
// supervisor writes is accepted. Fuzzing would not find the right hash of the last line, so the
// target also tries each input between a first line and a last line with that hash.
#include "worker/supervisor/manifest.h"

#include "common/base/content_hash.h"
#include "common/base/limits.h"
#include "tests/fuzz/target.h"

namespace cox {
namespace {

void check_manifest(const std::string& text) {
  const auto manifest = parse_manifest(text);
  if (!manifest) return;
  const std::vector<SavedFile>& files = manifest->files;
  CHECK(files.size() <= limits::checkpoint_files_max && files.size() * 36 <= text.size());
  CHECK(manifest_text(*manifest) == text);
  for (const SavedFile& file : files)
    CHECK(file.bytes >= 0 && file.path.find('\0') == file.path.npos);
}

}  // namespace

FUZZ_TARGET(manifest) {
  check_manifest(std::string(input));
  for (const std::string first : {"coxswain-manifest 1\n", "coxswain-manifest 2 "}) {
    const std::string lines = first + std::string(input);
    check_manifest(lines + "end " + content_hash(lines) + "\n");
  }
  const SavedFile file{std::string(input.substr(0, input.find('\0'))), 7, content_hash(input)};
  const auto same = parse_manifest(manifest_text({"", {file}}));
  CHECK(file.path.empty() || (same && same->files.at(0) == file));
}

}  // namespace cox
