#include "worker/io/worker_host.h"

#include <poll.h>

#include <atomic>
#include <memory>
#include <thread>
#include <utility>

#include "common/base/log_line.h"
#include "common/io/clock.h"
#include "common/io/crash_point.h"
#include "common/io/link.h"
#include "common/io/log.h"
#include "common/io/program_place.h"
#include "common/job/container.h"
#include "worker/io/checkpoint_root.h"
#include "worker/io/health_check.h"
#include "worker/io/known_gpus.h"
#include "worker/io/log_desk.h"
#include "worker/io/machine.h"
#include "worker/io/processes.h"
#include "worker/io/scope.h"
#include "worker/io/term_file.h"
#include "worker/io/usage_reader.h"
#include "worker/worker.h"

namespace cox {
namespace {

constexpr Milliseconds tick_interval{100};
constexpr Milliseconds folder_look_interval{1'000};
constexpr std::size_t frames_per_round_max = 100;

bool shares_checkpoints(const WorkerConfig& config) {
  return is_checkpoint_root(config.checkpoint_root, config.cluster_name);
}

struct Links {
  std::unique_ptr<Listener> log_readers;
  std::unique_ptr<Connection> controller;
  Connection::Options to_controller;
};

Result<Links> open_links(const WorkerConfig& config) {
  Links links;
  KeyPair key;
  if (!config.key_file.empty()) {
    auto read = read_key_file(config.key_file);
    if (!read) return read.refusal();
    key = *read;
  }
  std::string endpoint = config.log_endpoint;
  if (endpoint.empty()) endpoint = "tcp://" + config.address + ":*";
  Listener::Options options;
  (endpoint.starts_with("ipc:") ? options.local_endpoint : options.tcp_endpoint) = endpoint;
  options.key = key;
  options.key_dir = config.key_dir;
  options.key_prefixes = {"client"};
  auto listener = Listener::open(options);
  if (!listener) return listener.refusal();
  links.log_readers = std::move(*listener);
  links.to_controller = {config.controller, config.controller_key, key};
  auto connection = Connection::open(links.to_controller);
  if (!connection) return connection.refusal();
  links.controller = std::move(*connection);
  return links;
}

Node describe(const WorkerConfig& config, NodeResources total, const Links& links,
              const Processes& processes) {
  Node node;
  node.name = config.node_name;
  node.total = std::move(total);
  node.features = config.features;
  if (!config.container_command.empty()) node.features.emplace_back(container_feature);
  node.weight = config.weight;
  node.address = config.address;
  node.log_endpoint = config.log_endpoint;
  if (!config.log_endpoint.starts_with("ipc:"))
    node.log_endpoint = links.log_readers->tcp_endpoint();
  if (!config.key_file.empty()) node.log_key = read_key_file(config.key_file)->public_key;
  node.boot_id = boot_id();
  node.spool_id = processes.spool_id();
  node.version = COX_VERSION;
  return node;
}

void answer_readers(Listener& listener, LogDesk& logs, const Processes& processes) {
  const Boot now = read_clock().boot;
  for (const auto& incoming : listener.receive(frames_per_round_max)) {
    for (const auto& message : incoming.messages) {
      const auto* request = std::get_if<Request>(&message);
      if (request == nullptr) continue;
      Reply reply{request->number, Refused{{"a worker answers only requests for logs and usage",
                                            "send other requests to the controller"}}};
      if (const auto* log = std::get_if<ReadLog>(&request->body)) {
        logs.ask(incoming.peer, request->number, *log, now);
        continue;
      }
      if (const auto* usage = std::get_if<SampleUsage>(&request->body))
        reply = sample_usage(request->number, processes.folder_of(usage->key));
      listener.send(incoming.peer, {std::move(reply)});
    }
  }
  for (auto& answer : logs.work(now)) listener.send(answer.peer, {std::move(answer.reply)});
}

// Fills in settings that the configuration omits: the node's name, its address and the path of
// cox-supervisor.
Result<WorkerConfig> settle(WorkerConfig config) {
  if (config.node_name.empty()) config.node_name = host_name();
  if (config.supervisor_program.empty()) {
    auto program = find_program("cox-supervisor");
    if (!program) return program.refusal();
    config.supervisor_program = *program;
  }
  auto address = node_address(config);
  if (!address) return address.refusal();
  config.address = *address;
  return config;
}

// Checks every second whether the checkpoint folder is there: it may be mounted late, or be
// unmounted. It looks in a thread of its own, since a network file system may hang; what it saw
// last holds until a look has ended. It takes two looks in a row to miss the folder.
class FolderWatch {
 public:
  // `seen`: whether it was there at the first look.
  FolderWatch(const WorkerConfig& config, bool seen)
      : root_(config.checkpoint_root),
        known_(seen),
        seen_(std::make_shared<std::atomic<bool>>(seen)) {
    if (!seen) warn();
    // Detached: nobody can wait for a look that hangs.
    std::thread([config, seen = seen_] {
      for (bool before = *seen;;) {
        std::this_thread::sleep_for(folder_look_interval);
        const bool now = shares_checkpoints(config);
        *seen = before || now;
        before = now;
      }
    }).detach();
  }

  void take(Worker& worker) {
    const bool seen = *seen_;
    if (seen == known_) return;
    known_ = seen;
    worker.set_shares_checkpoints(seen, read_clock());
    if (seen)
      log_info("the cluster's checkpoint folder is there now");
    else
      warn();
  }

 private:
  void warn() const {
    log_warning("the checkpoint folder " + root_ +
                " is not mounted, or is not this cluster's; until it is, this node gets no jobs");
  }

  std::string root_;
  bool known_;
  std::shared_ptr<std::atomic<bool>> seen_;  // written by the thread
};

void check_health(HealthCheck& check, Worker& worker) {
  const Now now = read_clock();
  const auto found = check.look(now.boot);
  if (!found) return;
  log_debug("health check found=" + quoted_value(*found));
  worker.set_health(*found, now);
}

void serve(Worker& worker, FolderWatch& folder, HealthCheck& check, Links& links, LogDesk& logs,
           Poller& poller, const LogSettingsFile& log_settings, const Processes& processes) {
  while (!poller.is_end_requested() && worker.refused().empty()) {
    if (poller.is_reload_requested()) log_settings.read_again();
    // Handles the launcher's events before any hello is sent: the controller treats an attempt that
    // a hello omits as gone.
    worker.run(read_clock());
    folder.take(worker);
    check_health(check, worker);
    for (const auto& message : links.controller->receive()) worker.receive(message, read_clock());
    answer_readers(*links.log_readers, logs, processes);
    worker.set_load(read_load());
    worker.tick(read_clock());
    for (const auto& remark : worker.take_remarks()) log_info(remark);
    for (const auto& warning : worker.take_warnings()) log_warning(warning);
    auto outgoing = worker.take_outgoing();
    if (!outgoing.empty()) {
      log_debug("sending messages=" + std::to_string(outgoing.size()));
      crash_point("worker.before_send");
      links.controller->send(outgoing);
      crash_point("worker.after_send");
    }
    poller.wait(tick_interval);
  }
}

}  // namespace

int host_worker(const WorkerConfig& config, const LogSettingsFile& log_settings, bool scope) {
  auto poller = Poller::create(Poller::Hangup::ReadsAgain);
  const auto fail = [](const Refusal& why) {
    log_error(why.fact + "; " + why.hint);
    return 1;
  };
  const auto settled = settle(config);
  if (!settled) return fail(settled.refusal());
  Processes processes(settled->spool_dir, settled->supervisor_program, site_programs_of(*settled),
                      scope ? scope_words(settled->node_name) : std::vector<std::string>{},
                      settled->node_name + " " + settled->controller);
  if (const Failure failure = processes.adopt()) return fail(*failure);
  auto resources = probe_resources(*settled);
  if (!resources) return fail(resources.refusal());
  auto links = open_links(*settled);
  if (!links) return fail(links.refusal());
  for (const auto& line : unenforced()) log_info(line);
  TermFile terms(settled->spool_dir);
  if (const Failure failure = terms.check()) return fail(*failure);
  const auto driver = probe_gpus(nvidia_folder);
  if (!driver) return fail(driver.refusal());
  const std::string gpus = check_known_gpus(settled->spool_dir, boot_id(), *driver);
  if (!gpus.empty()) log_warning(gpus);
  const bool shares = shares_checkpoints(*settled);
  Worker worker(describe(*settled, *std::move(resources), *links, processes), random_hex(16),
                shares, processes, terms, settled->cluster_name);
  worker.set_gpus_unfit(gpus);
  FolderWatch folder(*settled, shares);
  HealthCheck check(settled->health_check, settled->health_check_interval, HealthCheck::time_limit,
                    settled->node_name);
  if (check.is_there()) worker.set_health(std::nullopt, read_clock());
  links->controller->add_to(*poller);
  links->log_readers->add_to(*poller);
  poller->add_fd(processes.fd(), POLLIN);
  LogDesk logs(*settled, links->to_controller, processes);
  logs.add_to(*poller);
  log_info("serving node=" + settled->node_name +
           " controller=" + quoted_value(settled->controller));
  serve(worker, folder, check, *links, logs, *poller, log_settings, processes);
  if (const std::string& why = worker.refused(); !why.empty())
    return fail({why, "jobs that run here end with their leases"});
  log_info("asked to end; running jobs continue under their supervisors");
  return 0;
}

}  // namespace cox
