// Fuzz target for coxswain.toml. Parses the text by itself, and merges it over the configuration
// that `cox up` writes. Checks that each merged text is valid.
#include "common/io/config/config_file.h"
#include "common/io/config/config_overlay.h"
#include "tests/fuzz/target.h"

namespace cox {
namespace {

void check_merged(const Result<std::string>& merged) {
  if (!merged) return fuzz::check_refusal(merged.refusal());
  const auto config = parse_config(*merged, "written");
  CHECK(config.ok());
}

}  // namespace

FUZZ_TARGET(config) {
  const std::string text(input);
  const ConfigCheck check = check_config(text, "mine.toml");
  for (const Refusal& problem : check.problems) fuzz::check_refusal(problem);
  CHECK(parse_config(text, "mine.toml").ok() == check.problems.empty());
  const ConfigOverlay overlay{"mine.toml", text};
  nodes_named(overlay);
  check_merged(lay_over_controller(
      "# Written by a test.\n[controller]\ncluster_name = \"private\"\ndatabase = \"dbname=x\"\n"
      "listen_local = \"ipc:///x/y\"\ncheckpoint_root = \"/x\"\n"
      "[client]\ncontroller = \"ipc:///x/y\"\n",
      overlay));
  check_merged(lay_over_worker(
      "# Written by a test.\n[worker]\nnode_name = \"n2\"\ncontroller = \"ipc:///x/y\"\n"
      "spool_dir = \"/x\"\ncheckpoint_root = \"/x\"\ncpus = 2\n",
      overlay, "n2"));
}

}  // namespace cox
