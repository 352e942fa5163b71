#include "worker/io/machine.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <sstream>

#include "common/base/text.h"
#include "common/io/endpoint.h"
#include "common/io/log.h"
#include "worker/gpu_matrix.h"
#include "worker/io/program_output.h"
#include "worker/supervisor/io/containment.h"
#include "worker/supervisor/io/files/descriptor.h"
#include "worker/supervisor/io/files/files.h"

namespace cox {

namespace {

constexpr std::size_t small_file_bytes_max = 65536;
constexpr const char* loopback = "127.0.0.1";
constexpr Milliseconds gpu_links_timeout{10'000};

std::int64_t probe_cpus() {
  cpu_set_t usable;
  CPU_ZERO(&usable);
  if (::sched_getaffinity(0, sizeof usable, &usable) == 0) return CPU_COUNT(&usable);
  // The machine has more CPUs than cpu_set_t can hold.
  return std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN));
}

// Returns the value of a line "NAME:   value" of a /proc file; empty: there is no such line.
std::string value_of(const std::string& text, const std::string& name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name + ":")) continue;
    const std::size_t begin = line.find_first_not_of(" \t", name.size() + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

std::int64_t probe_memory_mb() {
  const std::string text = read_file("/proc/meminfo", small_file_bytes_max).value_or("");
  std::int64_t mb = std::atoll(value_of(text, "MemTotal").c_str()) / 1024;
  const auto base = cgroup_base();
  const auto limit = base ? read_file(*base + "/memory.max", small_file_bytes_max) : std::nullopt;
  const std::int64_t bytes = limit ? std::atoll(limit->c_str()) : 0;  // "max": none
  if (bytes > 0) mb = std::min(mb, bytes >> 20);
  return mb;
}

// Returns the type in a model's name: h100 of "NVIDIA H100 80GB HBM3", v100 of "Tesla V100-SXM2".
std::string gpu_type(const std::string& model) {
  std::istringstream words(model);
  for (std::string word; words >> word;) {
    if (word == "NVIDIA" || word == "Tesla" || word == "GeForce" || word == "Quadro") continue;
    return lower_case(word.substr(0, word.find('-')));
  }
  return "";
}

}  // namespace

Result<std::vector<GpuDevice>> probe_gpus(const std::string& place) {
  // Named after PCI addresses. In sorted order they have the numbers that CUDA gives to the GPUs.
  std::vector<std::string> folders;
  std::error_code error;
  for (std::filesystem::directory_iterator at(place, error), end; !error && at != end;
       at.increment(error))
    folders.push_back(at->path().string());
  if (error && error != std::errc::no_such_file_or_directory)
    return io_refusal(place, "read", error.value());
  std::sort(folders.begin(), folders.end());
  std::vector<GpuDevice> gpus;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const std::string path = folders[i] + "/information";
    errno = 0;
    const auto text = read_file(path, small_file_bytes_max);
    if (!text) {
      log_warning(io_refusal(path, "read", errno).fact + "; this GPU gets no work");
      continue;
    }
    GpuDevice gpu;
    gpu.index = static_cast<std::int32_t>(i);
    gpu.type = gpu_type(value_of(*text, "Model"));
    gpu.uuid = value_of(*text, "GPU UUID");
    gpus.push_back(gpu);
  }
  return gpus;
}

namespace {

// Returns the groups of GPUs that NVLink joins. nvidia-smi lists all GPUs of the driver and numbers
// them as probe_gpus() does, in PCI order.
GpuGroups probe_gpu_links(std::size_t gpus) {
  const auto text =
      program_output({"nvidia-smi", "topo", "-m"}, gpu_links_timeout, small_file_bytes_max);
  return text ? joined_by_nvlink(*text, gpus).value_or(GpuGroups{}) : GpuGroups{};
}

// Removes GPUs that the driver does not show from the configured links. So the worker starts even
// if a GPU has failed and left the PCI bus.
void drop_lost_gpus(GpuGroups& links, const std::vector<GpuDevice>& found) {
  for (auto& group : links)
    std::erase_if(group, [&found](std::int32_t index) {
      const bool is_lost = std::ranges::find(found, index, &GpuDevice::index) == found.end();
      if (is_lost)
        log_warning("worker.gpu_links names GPU " + std::to_string(index) +
                    ", which the driver does not have");
      return is_lost;
    });
}

// Returns the local address from which packets to the target would be sent. Sends nothing.
std::string source_address(const addrinfo& target) {
  const Descriptor probe(::socket(target.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!probe.is_open() || ::connect(probe.get(), target.ai_addr, target.ai_addrlen) != 0) return "";
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  if (::getsockname(probe.get(), reinterpret_cast<sockaddr*>(&own), &size) != 0) return "";
  char text[NI_MAXHOST];
  const int failed = ::getnameinfo(reinterpret_cast<const sockaddr*>(&own), size, text, sizeof text,
                                   nullptr, 0, NI_NUMERICHOST);
  return failed ? "" : text;
}

}  // namespace

std::string host_name() {
  char name[256] = {};
  CHECK(::gethostname(name, sizeof name - 1) == 0);
  const std::string full = name;
  return full.substr(0, full.find('.'));
}

Result<NodeResources> probe_resources(const WorkerConfig& config) {
  NodeResources resources;
  resources.cpus = config.cpus > 0 ? config.cpus : probe_cpus();
  resources.memory_mb = config.memory_mb > 0 ? config.memory_mb : probe_memory_mb();
  const auto driver = probe_gpus(nvidia_folder);
  if (!driver) return driver.refusal();
  const std::vector<GpuDevice>& found = *driver;
  resources.gpus = config.gpus.empty() ? found : config.gpus;
  resources.gres = config.gres;
  GpuGroups links = config.gpu_links;
  const bool has_gap = !found.empty() && found.back().index + 1 != std::ssize(found);
  if (links.empty() && !has_gap && found.size() > 1 && found.size() == resources.gpus.size())
    links = probe_gpu_links(found.size());
  if (config.gpus.empty()) drop_lost_gpus(links, found);
  if (const Failure wrong = join_gpus(links, resources.gpus))
    return Refusal{"worker.gpu_links " + wrong->fact, wrong->hint};
  return resources;
}

std::optional<NodeLoad> read_load() {
  struct sysinfo known {};
  if (::sysinfo(&known) != 0) return std::nullopt;
  constexpr std::int64_t one = std::int64_t{1}
                               << SI_LOAD_SHIFT;  // the load 1.0 in the kernel's fixed-point format
  NodeLoad load;
  load.cpu_load_percent = static_cast<std::int64_t>(known.loads[0]) * 100 / one;
  load.free_memory_mb = static_cast<std::int64_t>(known.freeram) * known.mem_unit >> 20;
  return load;
}

Result<std::string> node_address(const WorkerConfig& config) {
  if (!config.address.empty()) {
    in6_addr number;
    for (const int family : {AF_INET, AF_INET6}) {
      if (::inet_pton(family, config.address.c_str(), &number) == 1) return config.address;
    }
    return Refusal{"worker.address is \"" + config.address + "\", which is not numeric",
                   "give an IPv4 or IPv6 address, such as 10.0.0.7"};
  }
  const auto endpoints = endpoints_of(config.controller);
  const auto far = std::ranges::find_if(
      endpoints, [](const std::string& one) { return one.starts_with("tcp://"); });
  if (far == endpoints.end()) return std::string(loopback);
  const std::string place = far->substr(std::strlen("tcp://"));
  std::string host = place.substr(0, place.rfind(':'));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), "1", &hints, &found)) {
    return Refusal{"cannot find the controller's host " + host + ": " + ::gai_strerror(error),
                   "check worker.controller, or set worker.address"};
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, ::freeaddrinfo);
  for (const addrinfo* target = found; target != nullptr; target = target->ai_next) {
    const std::string address = source_address(*target);
    if (!address.empty()) return address;
  }
  return Refusal{"no route to the controller's host " + host, "set worker.address"};
}

std::vector<std::string> unenforced() {
  std::vector<std::string> lines;
  if (!cgroup_base()) {
    lines.push_back(
        "no writable cgroup (v2): a job's processes are identified by their environment");
  }
  lines.push_back("CPUs and memory are counted, not enforced");
  return lines;
}

}  // namespace cox
