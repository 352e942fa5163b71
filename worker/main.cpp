// cox-worker: reads the configuration, opens the log, and serves (worker/io/worker_host.h).
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "common/io/config/config_file.h"
#include "common/io/descriptor_limit.h"
#include "common/io/log.h"
#include "common/io/log_settings.h"
#include "common/io/memory_limit.h"
#include "worker/io/worker_host.h"

namespace cox {
namespace {

struct Words {
  std::string config;
  std::string log_file;
  bool scope = false;
};

int run(const Words& words) {
  auto path = find_config(words.config);
  auto config = path ? read_config(*path) : Result<Config>(path.refusal());
  if (!config) {
    std::fprintf(stderr, "cox-worker: %s\n%s\n", config.refusal().fact.c_str(),
                 config.refusal().hint.c_str());
    return 2;
  }
  if (config->worker.spool_dir.empty()) {  // the file has no table [worker]
    std::fprintf(stderr,
                 "cox-worker: %s has no [worker]\nname the worker's settings file with --config\n",
                 path->c_str());
    return 2;
  }
  ::umask(0077);
  open_log("worker", words.log_file, config->worker_log);
  limit_memory(config->worker.memory_limit_mb);
  return host_worker(config->worker, LogSettingsFile(*path, &Config::worker_log), words.scope);
}

}  // namespace
}  // namespace cox

int main(int argc, char** argv) {
  CLI::App app("The worker of one node of a Coxswain cluster: runs what the controller sends.");
  cox::Words words;
  app.add_option("--config", words.config, "the node's settings (coxswain.toml)");
  app.add_option("--log", words.log_file, "where to log; standard error by default");
  app.add_flag("--scope", words.scope,
               "start supervisors in a systemd scope, so that they are not left-over "
               "processes of the worker's unit");
  app.set_version_flag("--version", "cox-worker " COX_VERSION);
  CLI11_PARSE(app, argc, argv);
  cox::raise_descriptor_limit();
  return cox::run(words);
}
