// What `cox doctor` says of a host, one finding a check. Findings is the list that it fills in, for
// client/setup/doctor*.cpp alone.
//
// A problem is what keeps jobs from running or will do so; a warning is what somebody should know
// about, or what this user may not look at.
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
  std::string hint;  // what to do; empty when all is well
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
