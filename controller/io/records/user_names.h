// The names of users, as the host knows them.
#pragma once

#include <pwd.h>

#include <map>
#include <string>

namespace cox {

// Looked up once a user: the answer may come from far away.
class UserNames {
 public:
  const std::string& of(std::uint32_t uid) {
    std::string& name = names_[uid];
    if (!name.empty()) return name;
    const passwd* entry = ::getpwuid(uid);
    return name = entry == nullptr ? std::to_string(uid) : entry->pw_name;
  }

 private:
  std::map<std::uint32_t, std::string> names_;
};

}  // namespace cox
