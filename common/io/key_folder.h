// The public keys that may connect: NAME.pub files of one folder. Follows the folder: a file that
// appears or goes counts from the next handshake on. For the link alone.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cox {

bool is_curve_key(const std::string& z85);

class KeyFolder {
 public:
  // No `dir`: none but the guests, keys that stand in no file.
  KeyFolder(std::string dir, std::vector<std::string> prefixes, std::vector<std::string> guests);
  const std::string& dir() const { return dir_; }
  // The name (without ".pub") that this key (Z85) is known by, of those with an admitted prefix.
  std::optional<std::string> name_of(const std::string& public_key);

 private:
  void read_again();
  bool changed() const;

  std::string dir_;
  std::vector<std::string> prefixes_;
  std::vector<std::string> guests_;
  std::map<std::string, std::string> names_;  // by key
  std::int64_t modified_ns_ = -1;
  std::chrono::steady_clock::time_point read_at_;
};

}  // namespace cox
