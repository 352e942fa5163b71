// Fuzz target for `cox import`. Checks that the result is valid TOML whatever Slurm's files
// contain, whether in one file or in several.
#include "client/setup/slurm_import.h"

#include "common/io/config/config_table.h"
#include "tests/fuzz/target.h"

namespace cox {
namespace {

void check_import(const std::string& name, std::string_view text) {
  const auto imported = import_slurm({{name, std::string(text)}});
  if (!imported) return fuzz::check_refusal(imported.refusal());
  for (const std::string& note : imported->notes) CHECK(note.find('\n') == note.npos);
  for (const SourceFile& file : imported->files)
    if (file.name.ends_with(".toml")) CHECK(toml::parse(file.text).succeeded());
  if (!imported->files.empty() && imported->files.front().name.ends_with(".toml"))
    CHECK(toml::parse(in_one_text(imported->files)).succeeded());
}

}  // namespace

FUZZ_TARGET(slurm_import) {
  for (const char* name : {"slurm.conf", "gres.conf", "topology.conf", "any"})
    check_import(name, input);
}

}  // namespace cox
