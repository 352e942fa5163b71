#include "bench/calibrate_processes.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

#include "bench/measure.h"
#include "common/io/link.h"

namespace cox::bench {
namespace {

pid_t spawn(std::vector<std::string> words, const posix_spawn_file_actions_t* actions) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t pid = 0;
  const int error =
      ::posix_spawn(&pid, words[0].c_str(), actions, nullptr, pointers.data(), environ);
  if (error != 0) give_up(words[0] + ": " + std::strerror(error));
  return pid;
}

void await(pid_t pid) {
  int status = 0;
  if (::waitpid(pid, &status, 0) != pid || status != 0)
    give_up("a program that the benchmark started failed");
}

pid_t spawn_script(const std::string& script, const std::string& output) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, (output + ".out").c_str(), flags, 0644);
  ::posix_spawn_file_actions_addopen(&actions, 2, (output + ".err").c_str(), flags, 0644);
  const pid_t pid = spawn({"/bin/sh", script}, &actions);
  ::posix_spawn_file_actions_destroy(&actions);
  return pid;
}

}  // namespace

void calibrate_spawn(const std::string& program, int count) {
  std::vector<double> milliseconds;
  for (int i = 0; i < count; ++i) {
    const std::int64_t began = now_ns();
    await(spawn({program}, nullptr));
    milliseconds.push_back(seconds_since(began) * 1e3);
  }
  report_quantiles("spawn", milliseconds, "ms");
}

void calibrate_spawn_together(const std::string& program, int batch, int repeats) {
  std::vector<double> milliseconds;
  for (int i = 0; i < repeats; ++i) {
    const std::int64_t began = now_ns();
    std::vector<pid_t> pids;
    for (int k = 0; k < batch; ++k) pids.push_back(spawn({program}, nullptr));
    for (const pid_t pid : pids) await(pid);
    milliseconds.push_back(seconds_since(began) * 1e3);
  }
  report_quantiles("spawn_" + std::to_string(batch), milliseconds, "ms");
}

void calibrate_scripts(const std::string& folder, int count) {
  const std::string script = folder + "/script.sh";
  std::ofstream(script) << "#!/bin/sh\ntrue\n";
  const auto output = [&](int i) { return folder + "/script." + std::to_string(i); };
  const std::int64_t began = now_ns();
  pid_t other = spawn_script(script, output(0));
  for (int i = 1; i < count; ++i) {
    const pid_t mine = spawn_script(script, output(i));
    await(other);
    other = mine;
  }
  await(other);
  report("scripts", count / seconds_since(began), "scripts/s");
}

void calibrate_round_trips(const std::string& folder, int count) {
  const std::string endpoint = "ipc://" + folder + "/round-trips.socket";
  Listener::Options options;
  options.local_endpoint = endpoint;
  auto listener = Listener::open(options);
  if (!listener) give_up(listener.refusal().fact);
  std::jthread echo([&](std::stop_token stop) {
    const auto poller = Poller::create();
    (*listener)->add_to(*poller);
    while (!stop.stop_requested()) {
      poller->wait(Milliseconds{100});
      for (auto& incoming : (*listener)->receive(16))
        (*listener)->send(incoming.peer, incoming.messages);
    }
  });
  auto connection = Connection::open({endpoint, "", {}});
  if (!connection) give_up(connection.refusal().fact);
  const auto poller = Poller::create();
  (*connection)->add_to(*poller);
  std::vector<double> milliseconds;
  for (int i = 0; i < count; ++i) {
    const std::int64_t began = now_ns();
    (*connection)->send({Request{i, ShowCluster{}}});
    while ((*connection)->receive().empty()) poller->wait(Milliseconds{1'000});
    milliseconds.push_back(seconds_since(began) * 1e3);
  }
  report_quantiles("round_trip", milliseconds, "ms");
}

}  // namespace cox::bench
