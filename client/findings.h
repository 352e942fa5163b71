// The list that `cox doctor` fills in, check by check. For client/doctor*.cpp alone.
#pragma once

#include <string>
#include <vector>

#include "client/doctor.h"

namespace cox {

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

// The checks of keys, and of who listens where (client/doctor_keys.cpp).
void judge_key(const KeyFacts& key, Findings& out);
void judge_handshake(const HandshakeFacts& handshake, Findings& out);
void judge_listening(const HostFacts& facts, const ListenFacts& listen, Findings& out);

}  // namespace cox
