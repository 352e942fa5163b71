#include "client/io/private/doctor_facts.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "client/io/private/doctor_holder.h"
#include "client/io/private/files.h"
#include "client/io/private/handshake_probe.h"
#include "client/io/private/run_program.h"
#include "client/io/run.h"
#include "common/io/clock.h"
#include "common/io/endpoint.h"
#include "common/io/link.h"
#include "common/io/program_place.h"
#include "common/job/checkpoint_marker.h"
#include "common/resources/gpu_vendor.h"

namespace cox {
namespace {

constexpr const char* cgroup_root = "/sys/fs/cgroup";

DatabaseFacts parse_database(const std::string& text) {
  std::map<std::string, std::string> values;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto equals = std::min(line.find('='), line.size());
    values[line.substr(0, equals)] = equals < line.size() ? line.substr(equals + 1) : "";
  }
  const auto number = [&](const char* name) { return std::atoll(values[name].c_str()); };
  DatabaseFacts facts;
  facts.error = values["error"];
  facts.server_version = values["server_version"];
  facts.schema_version = number("schema_version");
  facts.schema_known = number("schema_known");
  facts.schema_oldest = number("schema_oldest");
  facts.writable = number("writable") != 0;
  facts.clock_offset_ms = number("clock_offset_ms");
  facts.clock_bound_ms = number("clock_bound_ms");
  if (values.contains("lock_pid"))
    facts.lock = LockHolder{number("lock_pid"), values["lock_user_name"], values["lock_state"],
                            values["lock_query"], number("lock_in_use_ms")};
  return facts;
}

KeyFacts look_at_key(const std::string& what, const std::string& path) {
  KeyFacts facts;
  facts.what = what;
  facts.path = path;
  facts.user = own_user_name();
  facts.owner = owner_of(path);
  auto key = read_key_file(path);
  if (key) {
    facts.public_key = key->public_key;
  } else {
    facts.trouble = key.refusal();
    facts.is_closed = ::access(path.c_str(), R_OK) != 0 && errno == EACCES;
  }
  return facts;
}

// Returns the public key in the file NAME.pub of the first folder that has this file; empty: no
// folder has it. NAME is, for example, "controller" or "worker-n1".
std::string public_key_at(const std::vector<std::string>& folders, const std::string& name) {
  for (const auto& folder : folders) {
    if (folder.empty()) continue;
    if (auto key = read_key_file(folder + "/" + name + ".pub")) return key->public_key;
  }
  return "";
}

// Returns the names, such as "worker-n1", of the .pub files in the folder that contain this key.
std::vector<std::string> names_with(const std::string& folder, const std::string& public_key) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& file : std::filesystem::directory_iterator(folder, ignored)) {
    if (file.path().extension() != ".pub") continue;
    const auto key = read_key_file(file.path().string());
    if (key && key->public_key == public_key) names.push_back(file.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

// Returns the user that runs the controller of this host: the owner of its socket, or else the
// service account. Empty: unknown, or the caller.
std::string controller_account(const Config& config) {
  // the account that the Debian package and the administrator guide create for the controller
  constexpr const char* service_account = "coxswain";
  struct stat status {};
  const std::string& local = config.controller.listen_local;
  if (local.starts_with("ipc://") && ::stat(local.c_str() + 6, &status) == 0)
    return user_name_of(status.st_uid);
  const bool is_service = config.path == "/etc/coxswain/coxswain.toml";
  return is_service && ::getpwnam(service_account) != nullptr ? service_account : "";
}

// Returns the host name up to the first dot, which is the default of node_name.
std::string short_host_name() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0) return "";
  const std::string whole = name;
  return whole.substr(0, whole.find('.'));
}

std::string stem_of(const std::string& path) {
  const auto name = path.substr(path.find_last_of('/') + 1);
  return name.ends_with(".key") ? name.substr(0, name.size() - 4) : name;
}

// Adds facts about the key of a worker or client, and about the controller's public key that is
// configured for it. `controller_dir`: key_dir of this host's controller, which must have the key's
// .pub file; empty: no controller is configured here.
void look_at_peer(const std::string& table, const std::string& key_file,
                  const std::string& controller_key, const std::vector<std::string>& folders,
                  const std::string& controller_dir, std::vector<KeyFacts>& found) {
  KeyFacts own = look_at_key(table + " key_file", key_file);
  own.table = table;
  own.must_equal = public_key_at(folders, stem_of(key_file));
  own.equal_where = stem_of(key_file) + ".pub in key_dir";
  for (const auto& folder : folders)
    for (const auto& name : names_with(folder, own.public_key))
      if (name != stem_of(key_file)) own.known_as = name;
  const bool is_read = !own.trouble && !controller_dir.empty();
  if (is_read && names_with(controller_dir, own.public_key).empty()) own.not_in = controller_dir;
  found.push_back(std::move(own));
  KeyFacts believed{table + " controller_key", "", {}, false, controller_key, "", ""};
  believed.must_equal = public_key_at(folders, "controller");
  believed.equal_where = "controller.pub in key_dir";
  if (!believed.must_equal.empty()) found.push_back(std::move(believed));
}

int port_of(const std::string& endpoint) {
  return std::atoi(endpoint.c_str() + endpoint.rfind(':') + 1);
}

void note_holder(ListenFacts& facts, const Holder& holder) {
  facts.user = own_user_name();
  facts.owner = holder.owner;
  facts.holder = holder.program;
}

bool tcp_port_is_held(const std::string& endpoint) {
  const auto colon = endpoint.rfind(':');
  const int port = port_of(endpoint);
  std::string host = endpoint.substr(6, colon - 6);  // after "tcp://"
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  if (::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1)
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);  // for "*" or a host name: try loopback
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const bool held = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(fd);
  return held;
}

FolderFacts look_at_folder(const std::string& path, const std::string& cluster_name) {
  FolderFacts facts;
  facts.path = path;
  facts.cluster_name = cluster_name;
  struct stat status {};
  facts.is_there = ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
  facts.is_writable = ::access(path.c_str(), W_OK | X_OK) == 0;
  std::ifstream file(path + "/" + checkpoint_marker_file);
  std::string line;
  if (std::getline(file, line)) facts.marker = line;
  return facts;
}

}  // namespace

bool has_table(const ConfigReport& report, const std::string& table) {
  return std::any_of(report.lines.begin(), report.lines.end(),
                     [&](const ConfigLine& line) { return line.table == table; });
}

void look_at_database(const Config& config, HostFacts& facts) {
  const auto program = find_program("cox-controller");
  if (!program) {
    facts.database_unchecked = program.refusal();
    return;
  }
  const auto said = output_of({*program, "--config", config.path, "--check-database"});
  if (said && said->status == 0) {
    facts.database = parse_database(said->text);
  } else {
    facts.database_unchecked =
        Refusal{*program + " --check-database failed", "check that it has the same version as cox"};
  }
}

std::vector<KeyFacts> look_at_keys(const Config& config, const ConfigReport& report) {
  std::vector<KeyFacts> found;
  const ControllerConfig& controller = config.controller;
  const std::vector<std::string> folders{controller.key_dir, config.worker.key_dir};
  if (!controller.listen_tcp.empty()) {
    KeyFacts key = look_at_key("[controller] key_dir", controller.key_dir + "/controller.key");
    key.must_equal = public_key_at({controller.key_dir}, "controller");
    key.equal_where = "controller.pub";
    const std::string account = controller_account(config);
    if (::geteuid() == 0 && !account.empty() && !may_read(account, key.path))
      key.closed_to = account;
    found.push_back(std::move(key));
  }
  const std::string admitted = controller.listen_tcp.empty() ? "" : controller.key_dir;
  const WorkerConfig& worker = config.worker;
  if (has_table(report, "[worker]") && any_by_tcp(worker.controller)) {
    const std::size_t own = found.size();
    look_at_peer("[worker]", worker.key_file, worker.controller_key, folders, admitted, found);
    found[own].node = worker.node_name.empty() ? short_host_name() : worker.node_name;
  }
  if (has_table(report, "[client]") && any_by_tcp(config.client.controller))
    look_at_peer("[client]", config.client.key_file, config.client.controller_key, folders,
                 admitted, found);
  return found;
}

std::vector<HandshakeFacts> try_handshakes(const Config& config, const std::string& table) {
  const bool is_worker = table == "[worker]";
  const std::string& key_file = is_worker ? config.worker.key_file : config.client.key_file;
  const std::string& server_key =
      is_worker ? config.worker.controller_key : config.client.controller_key;
  std::vector<HandshakeFacts> found;
  const auto key = read_key_file(key_file);
  if (!key || key->secret_key.empty()) return found;  // no key: look_at_keys() reports why
  for (const auto& endpoint :
       endpoints_of(is_worker ? config.worker.controller : config.client.controller)) {
    if (!any_by_tcp(endpoint)) continue;
    probe_handshake(found.emplace_back(HandshakeFacts{table, endpoint, key_file, {}, ""}),
                    server_key, *key);
  }
  return found;
}

std::optional<GpuFacts> look_at_gpus(const WorkerConfig& config) {
  GpuFacts facts;
  for (const GpuDevice& gpu : config.gpus)
    facts.configured += gpu_vendor(gpu.type) == GpuVendor::Nvidia ? 1 : 0;
  if (facts.configured == 0) return std::nullopt;
  std::error_code none;
  for (const auto& gpu : std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", none))
    facts.found += gpu.is_directory() ? 1 : 0;
  return facts;
}

MailFacts look_at_mail(const ControllerConfig& config) {
  MailFacts facts;
  facts.is_configured = !config.mail_program.empty();
  facts.program = facts.is_configured ? config.mail_program : usual_sendmail;
  facts.is_there = ::access(facts.program.c_str(), X_OK) == 0;
  return facts;
}

std::vector<FolderFacts> look_at_folders(const Config& config, const ConfigReport& report) {
  std::vector<FolderFacts> found;
  if (has_table(report, "[controller]")) {
    found.push_back(
        look_at_folder(config.controller.checkpoint_root, config.controller.cluster_name));
    found.back().by_controller = true;
  }
  const WorkerConfig& worker = config.worker;
  if (!has_table(report, "[worker]")) return found;
  if (found.empty() || found.front().path != worker.checkpoint_root)
    found.push_back(look_at_folder(worker.checkpoint_root, worker.cluster_name));
  return found;
}

CgroupFacts look_at_cgroups() {
  CgroupFacts facts;
  const std::string root = cgroup_root;
  std::ifstream file(root + "/cgroup.controllers");
  facts.has_version_2 = file.is_open();
  for (std::string name; file >> name;) facts.controllers.push_back(name);
  // With cgroup v2 the file has the line "0::/PATH".
  std::istringstream lines(read_file("/proc/self/cgroup").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("0::")) continue;
    const std::string own = root + (line == "0::/" ? "" : line.substr(3));
    facts.can_make = ::access((own + "/cgroup.procs").c_str(), W_OK) == 0;
  }
  return facts;
}

std::vector<ListenFacts> look_at_listening(const ControllerConfig& config) {
  std::vector<ListenFacts> found;
  if (!config.listen_local.empty()) {
    const std::string path = config.listen_local.substr(6);  // after "ipc://"
    ListenFacts local{config.listen_local, somebody_listens(config.listen_local), 0};
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0) local.socket_mode = status.st_mode;
    // Without write permission for the socket, the caller cannot find out whether a process
    // listens.
    local.is_closed = ::access(path.c_str(), W_OK) != 0 && errno == EACCES;
    local.is_held = local.is_held || local.is_closed;
    note_holder(local, holder_of_socket(path));
    found.push_back(std::move(local));
  }
  if (!config.listen_tcp.empty()) {
    ListenFacts tcp{config.listen_tcp, tcp_port_is_held(config.listen_tcp), 0};
    note_holder(tcp, holder_of_tcp(port_of(config.listen_tcp)));
    found.push_back(std::move(tcp));
  }
  return found;
}

}  // namespace cox
