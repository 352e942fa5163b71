// Who holds an endpoint and who may read a file, as far as this user may know. For doctor_facts.cpp
// alone.
#pragma once

#include <sys/types.h>

#include <string>

namespace cox {

// By name; a number where there is no name.
std::string user_name_of(uid_t uid);

// "root, mode 0600"; empty: there is no such file, or nobody may see it.
std::string owner_of(const std::string& path);

struct Holder {
  std::string owner;    // the user; empty: not known
  std::string program;  // "cox-controller (pid 17)"; empty: only root and the owner may know
};
Holder holder_of_tcp(int port);
Holder holder_of_socket(const std::string& path);

// Whether another account may read the file. REQUIRES: this is root.
bool may_read(const std::string& account, const std::string& path);

}  // namespace cox
