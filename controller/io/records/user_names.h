// The names of users of this host.
#pragma once

#include <pwd.h>

#include <map>
#include <string>

namespace cox {

// Looks up each user once, since a directory service may answer slowly. A user without a name gets
// the uid as name.
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
