#include "client/io/private/doctor_holder.h"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "client/io/private/files.h"

namespace cox {
namespace {

namespace fs = std::filesystem;

// Returns the name and pid of the process that has the socket with this inode open; empty: not
// found.
std::string program_with(const std::string& inode) {
  const std::string wanted = "socket:[" + inode + "]";
  std::error_code ignored;
  for (const auto& process : fs::directory_iterator("/proc", ignored)) {
    const std::string pid = process.path().filename().string();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    std::error_code closed;
    for (const auto& each : fs::directory_iterator(process.path() / "fd", closed)) {
      if (fs::read_symlink(each.path(), closed).string() != wanted) continue;
      std::string name = read_file(process.path() / "comm").value_or("");
      if (name.ends_with('\n')) name.pop_back();
      return name + " (pid " + pid + ")";
    }
  }
  return "";
}

// Returns the owner and the program of the socket that listens on the port. `table`: /proc/net/tcp
// or tcp6, whose lines look like "0: 0100007F:1AA4 00000000:0000 0A ... uid timeout inode".
Holder listener_in(const char* table, int port) {
  std::ifstream lines(table);
  std::string line;
  std::getline(lines, line);  // skips the line with the headings
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string number, local, remote, state, queues, timer, retransmitted, uid, timeout, inode;
    words >> number >> local >> remote >> state >> queues >> timer >> retransmitted >> uid >>
        timeout >> inode;
    constexpr int hexadecimal = 16;
    int found = 0;
    const std::size_t colon = local.rfind(':');
    if (state != "0A" || colon == std::string::npos) continue;
    std::from_chars(local.data() + colon + 1, local.data() + local.size(), found, hexadecimal);
    if (found != port) continue;
    return {user_name_of(static_cast<uid_t>(std::stoul(uid))), program_with(inode)};
  }
  return {};
}

}  // namespace

std::string user_name_of(uid_t uid) {
  const passwd* entry = ::getpwuid(uid);
  return entry != nullptr ? entry->pw_name : std::to_string(uid);
}

std::string owner_of(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return "";
  char mode[8];
  std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(status.st_mode & 07777));
  return user_name_of(status.st_uid) + ", mode " + mode;
}

Holder holder_of_tcp(int port) {
  const Holder holder = listener_in("/proc/net/tcp", port);
  return holder.owner.empty() ? listener_in("/proc/net/tcp6", port) : holder;
}

// A line of /proc/net/unix is "num: refs protocol flags type state inode path".
Holder holder_of_socket(const std::string& path) {
  constexpr std::string_view listens = "00010000";
  Holder holder;
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) holder.owner = user_name_of(status.st_uid);
  std::ifstream lines("/proc/net/unix");
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string number, references, protocol, flags, type, state, inode, name;
    words >> number >> references >> protocol >> flags >> type >> state >> inode >> name;
    if (name == path && flags == listens) holder.program = program_with(inode);
  }
  return holder;
}

// Groups, parent folders and ACLs all matter, so a child process changes to the account and tries
// to read the file.
bool may_read(const std::string& account, const std::string& path) {
  const passwd* entry = ::getpwnam(account.c_str());
  if (entry == nullptr) return true;
  const pid_t child = ::fork();
  if (child == 0) {
    const bool became = ::initgroups(entry->pw_name, entry->pw_gid) == 0 &&
                        ::setgid(entry->pw_gid) == 0 && ::setuid(entry->pw_uid) == 0;
    ::_exit(!became || ::access(path.c_str(), R_OK) == 0 ? 0 : 1);
  }
  int status = 0;
  return child < 0 || ::waitpid(child, &status, 0) != child || status == 0;
}

}  // namespace cox
