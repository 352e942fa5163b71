// Finds the process that listens on an endpoint, and whether a user may read a file, as far as the
// caller has the permission to find out. Only doctor_facts.cpp uses this.
#pragma once

#include <sys/types.h>

#include <string>

namespace cox {

// Returns the user's name, or the uid as text if the user has no name.
std::string user_name_of(uid_t uid);

// Returns the owner and mode of a file, for example "root, mode 0600". Empty if there is no such
// file or the caller may not see it.
std::string owner_of(const std::string& path);

struct Holder {
  std::string owner;  // user that owns the socket; empty: unknown
  // Name and pid: "cox-controller (pid 17)"; empty: the caller may not find it out.
  std::string program;
};
Holder holder_of_tcp(int port);
Holder holder_of_socket(const std::string& path);

// Returns whether another user may read the file. REQUIRES: the caller is root.
bool may_read(const std::string& account, const std::string& path);

}  // namespace cox
