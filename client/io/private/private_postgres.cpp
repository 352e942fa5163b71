#include "client/io/private/private_postgres.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <thread>

#include "client/io/private/files.h"
#include "common/io/clock.h"

namespace cox {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t socket_path_bytes_max = 100;  // sun_path has 108
constexpr const char* socket_name = "/.s.PGSQL.5432";
// How long to wait for PostgreSQL to start: its recovery after a crash may take long.
constexpr Milliseconds start_patience{60'000};
constexpr Milliseconds look_again{50};

Refusal failed(const std::string& what) {
  return {what + ": " + std::strerror(errno), ""};
}

bool has_postgres(const fs::path& bin) {
  return ::access((bin / "initdb").c_str(), X_OK) == 0 &&
         ::access((bin / "postgres").c_str(), X_OK) == 0;
}

// Returns the folder of PostgreSQL's programs. If `version_wanted` is empty, the newest installed
// version is taken.
Result<std::string> find_postgres(const std::string& version_wanted) {
  int newest = 0;
  std::error_code error;
  for (const auto& each : fs::directory_iterator("/usr/lib/postgresql", error)) {
    const std::string version = each.path().filename().string();
    if (!has_postgres(each.path() / "bin")) continue;
    if (version == version_wanted)
      newest = 1 << 30;
    else if (version_wanted.empty())
      newest = std::max(newest, std::atoi(version.c_str()));
  }
  if (newest == 1 << 30) return "/usr/lib/postgresql/" + version_wanted + "/bin";
  if (newest > 0) return "/usr/lib/postgresql/" + std::to_string(newest) + "/bin";
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  std::string folder;
  while (std::getline(folders, folder, ':'))
    if (!folder.empty() && has_postgres(folder)) return folder;
  return Refusal{
      "there is no PostgreSQL" + (version_wanted.empty() ? "" : " " + version_wanted) +
          " on this machine",
      "sudo apt-get install postgresql" + (version_wanted.empty() ? "" : "-" + version_wanted)};
}

// Returns the account that runs PostgreSQL: none (the caller's), or `postgres` if the caller is
// root.
Result<std::optional<Account>> postgres_account() {
  if (::geteuid() != 0) return std::optional<Account>{};
  auto account = find_account("postgres");
  if (!account)
    return Refusal{"PostgreSQL refuses to run as root, and there is no account 'postgres'",
                   "sudo apt-get install postgresql"};
  return std::optional(*account);
}

// Returns whether other accounts can reach a folder below this path: every folder on the path must
// let everyone pass.
bool all_may_pass(const fs::path& path) {
  for (fs::path each = path; each != each.root_path(); each = each.parent_path()) {
    struct stat about {};
    if (::stat(each.c_str(), &about) != 0 || (about.st_mode & S_IXOTH) == 0) return false;
  }
  return true;
}

Failure give_to(const std::string& path, const std::optional<Account>& account) {
  if (account && ::chown(path.c_str(), account->uid, account->gid) != 0)
    return failed("cannot give " + path + " to " + account->name);
  return {};
}

std::string own_name() {
  const passwd* entry = ::getpwuid(::geteuid());
  return entry != nullptr ? entry->pw_name : "";
}

std::string settings_text(const ClusterLayout& layout) {
  return "# Written by `cox up`.\n"
         "listen_addresses = ''\n"
         "unix_socket_directories = '" +
         layout.postgres_socket_dir() +
         "'\n"
         "unix_socket_permissions = 0700\n"
         "max_connections = 64\n"
         "shared_buffers = 64MB\n"
         "fsync = on\n"
         "cluster_name = '" +
         layout.cluster_name +
         "'\n"
         "ident_file = '" +
         layout.postgres_home +
         "/ident.conf'\n"
         "hba_file = '" +
         layout.postgres_home + "/hba.conf'\n";
}

// Returns the text of pg_ident.conf, PostgreSQL's map of users to roles: the caller and
// PostgreSQL's own account may use any role. The kernel identifies who connects, and the folder of
// the socket admits no other users.
std::string ident_text(const std::optional<Account>& account) {
  std::string out;
  for (const std::string& name : {own_name(), account ? account->name : std::string()})
    for (const char* role : {"cox", "cox_reader"})
      if (!name.empty()) out += "cox " + name + " " + role + "\n";
  return out;
}

// Writes the settings of PostgreSQL that depend on the layout. This is done before each start.
Failure write_settings(const ClusterLayout& layout, const std::optional<Account>& account) {
  const std::pair<std::string, std::string> files[] = {
      {layout.postgres_data() + "/coxswain.conf", settings_text(layout)},
      {layout.postgres_home + "/hba.conf", "local all all peer map=cox\n"},
      {layout.postgres_home + "/ident.conf", ident_text(account)},
  };
  for (const auto& [path, text] : files) {
    if (auto why = write_file(path, text)) return why;
    if (auto why = give_to(path, account)) return why;
  }
  return {};
}

// The line of postgresql.conf that reads write_settings().
constexpr const char* include_line = "include = 'coxswain.conf'\n";

// Returns whether the data folder was made. It gets its name only when it is complete, and is never
// deleted here, whatever it contains: only `cox down --purge` deletes data. A Refusal: it is there,
// but cannot be used as it is.
Result<bool> has_data(const ClusterLayout& layout) {
  const std::string settings = layout.postgres_data() + "/postgresql.conf";
  struct stat facts {};
  if (::stat(layout.postgres_data().c_str(), &facts) != 0) {
    if (errno == ENOENT) return false;
    return failed("cannot look at " + layout.postgres_data());
  }
  const auto text = read_file(settings);
  if (!text) return failed("cannot read " + settings);
  if (text->find(include_line) != std::string::npos) return true;
  const std::string line(include_line, std::strlen(include_line) - 1);
  return Refusal{
      settings + " has no line \"" + line + "\", so PostgreSQL would not find its socket",
      "add that line at its end"};
}

// Makes the data folder under another name, since initdb may be interrupted, and renames it.
Failure make_data(const ClusterLayout& layout, const std::string& bin,
                  const std::optional<Account>& account) {
  const std::string unfinished = layout.postgres_data() + ".unfinished";
  std::error_code error;
  fs::remove_all(unfinished, error);
  auto why = run_to_end({bin + "/initdb", "-D", unfinished, "-U", "cox", "--auth=peer",
                         "--encoding=UTF8", "--no-locale"},
                        layout.log_path("initdb"), account);
  if (why) return why;
  const std::string path = unfinished + "/postgresql.conf";
  const auto text = read_file(path);
  if (!text) return failed("cannot read " + path);
  if (auto wrong = write_file(path, *text + include_line)) return wrong;
  if (auto wrong = give_to(path, account)) return wrong;
  if (::rename(unfinished.c_str(), layout.postgres_data().c_str()) == 0) return {};
  return failed("cannot rename " + unfinished);
}

bool is_ready(const ClusterLayout& layout) {
  const auto text = read_file(layout.postgres_data() + "/postmaster.pid");
  return text && text->find("\nready") != std::string::npos;
}

Failure await_ready(const ClusterLayout& layout, const Daemon& daemon) {
  const Boot end = read_clock().boot + start_patience;
  while (!(is_ready(layout) && running_postgres(layout))) {
    const bool died = !is_running(daemon);
    if (died || read_clock().boot >= end)
      return Refusal{died ? "PostgreSQL ended while it started" : "PostgreSQL did not become ready",
                     "the end of " + layout.log_path("postgres") + ":\n" +
                         last_lines(layout.log_path("postgres"), 10)};
    std::this_thread::sleep_for(look_again);
  }
  return {};
}

Failure make_database(const ClusterLayout& layout, const std::string& bin) {
  const std::string made = layout.dir + "/database-made";
  if (read_file(made)) return {};
  const std::string log_file = layout.log_path("createdb");
  auto why =
      run_to_end({bin + "/createdb", "-h", layout.postgres_socket_dir(), "-U", "cox", "coxswain"},
                 log_file, std::nullopt);
  // "Already exists" is no error: an interrupted `cox up` may have made the database.
  if (why && last_lines(log_file, 1).find("already exists") == std::string::npos) return why;
  return write_file(made, "");
}

}  // namespace

Failure resolve_postgres_home(ClusterLayout& layout) {
  auto account = postgres_account();
  if (!account) return account.refusal();
  const uid_t owner = *account ? (*account)->uid : ::geteuid();
  if (!layout.postgres_home.empty()) {
    if (is_folder_of(layout.postgres_home, owner)) return {};
    return Refusal{"the database's folder " + layout.postgres_home + " is gone",
                   "'cox down --purge' removes the rest; then 'cox up' makes a new cluster"};
  }
  const std::string inside = layout.dir + "/postgres";
  const bool fits = (inside + "/socket" + socket_name).size() <= socket_path_bytes_max;
  if (fits && (!*account || all_may_pass(layout.dir))) {
    if (auto why = make_folder(inside, 0700)) return why;
    layout.postgres_home = inside;
  } else {
    auto made = make_unique_folder("/var/tmp/coxswain-");
    if (!made) return made.refusal();
    layout.postgres_home = *made;
  }
  if (::mkdir(layout.postgres_socket_dir().c_str(), 0700) != 0 && errno != EEXIST)
    return failed("cannot make " + layout.postgres_socket_dir());
  if (auto why = give_to(layout.postgres_socket_dir(), *account)) return why;
  return give_to(layout.postgres_home, *account);
}

Failure start_postgres(const ClusterLayout& layout) {
  if (running_postgres(layout) && is_ready(layout)) return {};
  auto account = postgres_account();
  if (!account) return account.refusal();
  std::string version = read_file(layout.postgres_data() + "/PG_VERSION").value_or("");
  version = version.substr(0, version.find('\n'));
  const auto has = has_data(layout);
  if (!has) return has.refusal();
  const auto bin = find_postgres(*has ? version : "");
  if (!bin) return bin.refusal();
  if (!*has)
    if (auto why = make_data(layout, *bin, *account)) return why;
  if (auto why = write_settings(layout, *account)) return why;
  const auto daemon = start_daemon("postgres", {*bin + "/postgres", "-D", layout.postgres_data()},
                                   layout.log_path("postgres"), *account);
  if (!daemon) return daemon.refusal();
  if (auto why = await_ready(layout, *daemon)) return why;
  return make_database(layout, *bin);
}

std::optional<Daemon> running_postgres(const ClusterLayout& layout) {
  const auto text = read_file(layout.postgres_data() + "/postmaster.pid");
  if (!text) return std::nullopt;
  const pid_t pid = std::atoi(text->c_str());
  if (pid <= 0) return std::nullopt;
  // postmaster.pid may be a leftover of a crash, and its pid may now belong to another process.
  const auto command = read_file("/proc/" + std::to_string(pid) + "/cmdline");
  const auto start_time = start_time_of(pid);
  const bool ours = command && command->find(layout.postgres_data()) != std::string::npos;
  if (!ours || !start_time) return std::nullopt;
  return Daemon{"postgres", pid, *start_time};
}

}  // namespace cox
