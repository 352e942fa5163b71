// Finds the process that holds an endpoint, and the users that may read a file, as far as the
// caller has the permission to look. Only doctor_facts.cpp uses this.
#pragma once

#include <sys/types.h>

#include <string>

namespace cox {

// Returns the name of the user, or the number if the user has no name.
std::string user_name_of(uid_t uid);

// "root, mode 0600"; empty: there is no such file, or nobody may see it.
std::string owner_of(const std::string& path);

struct Holder {
  std::string owner;    // the user; empty: not known
  std::string program;  // "cox-controller (pid 17)"; empty: only root and the owner may know
};
Holder holder_of_tcp(int port);
Holder holder_of_socket(const std::string& path);

// Returns whether another user may read the file. REQUIRES: the caller is root.
bool may_read(const std::string& account, const std::string& path);

}  // namespace cox
