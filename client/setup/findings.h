// The findings of `cox doctor` about a host, one per check. Findings is the list to which
// client/setup/doctor*.cpp add.
//
// A problem keeps jobs from running, now or soon. A warning is something that the operator should
// know, or that this user has no permission to check.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cox {

enum class Health : std::uint8_t { Ok, Warning, Problem };
std::string_view name(Health health);  // "ok", "warning", "problem"

struct Finding {
  Health health = Health::Ok;
  std::string check;  // "database"
  std::string fact;
  std::string hint;  // what the user should do; empty if all is well
};

class Findings {
 public:
  void ok(const std::string& check, const std::string& fact) {
    list_.push_back({Health::Ok, check, fact, ""});
  }
  void warn(const std::string& check, const std::string& fact, const std::string& hint) {
    list_.push_back({Health::Warning, check, fact, hint});
  }
  void problem(const std::string& check, const std::string& fact, const std::string& hint) {
    list_.push_back({Health::Problem, check, fact, hint});
  }
  std::vector<Finding> take() { return std::move(list_); }

 private:
  std::vector<Finding> list_;
};

}  // namespace cox
