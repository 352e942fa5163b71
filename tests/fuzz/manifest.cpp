// The manifest of a saved step: what is taken for one is what would have been written. Most inputs
// are lines of files, and get their beginning and their end, whose hash nobody would guess.
#include "worker/supervisor/manifest.h"

#include "common/content_hash.h"
#include "common/limits.h"
#include "tests/fuzz/target.h"

namespace cox {
namespace {

void check_manifest(const std::string& text) {
  const auto files = parse_manifest(text);
  if (!files) return;
  CHECK(files->size() <= limits::checkpoint_files_max && files->size() * 36 <= text.size());
  CHECK(manifest_text(*files) == text);
  for (const SavedFile& file : *files)
    CHECK(file.bytes >= 0 && file.path.find('\0') == file.path.npos);
}

}  // namespace

FUZZ_TARGET(manifest) {
  check_manifest(std::string(input));
  const std::string lines = "coxswain-manifest 1\n" + std::string(input);
  check_manifest(lines + "end " + content_hash(lines) + "\n");
  const SavedFile file{std::string(input.substr(0, input.find('\0'))), 7, content_hash(input)};
  const auto same = parse_manifest(manifest_text({file}));
  CHECK(file.path.empty() || (same && same->at(0) == file));
}

}  // namespace cox
