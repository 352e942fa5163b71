// The public keys that may connect: NAME.pub files of one folder. A file that is added, changed or
// removed counts from the next handshake on, and from the next has_lost_keys(). For the link alone.
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
  KeyFolder(const KeyFolder&) = delete;
  ~KeyFolder();
  const std::string& dir() const { return dir_; }
  // The name (without ".pub") that this key (Z85) is known by, of those with an admitted prefix.
  std::optional<std::string> name_of(const std::string& public_key);
  // Whether the key is known by this name, as of the last time that the folder was read.
  bool admits(const std::string& public_key, const std::string& name) const;
  // Reads the folder if it has changed. Returns whether a key went since the last call.
  bool has_lost_keys();

 private:
  using Names = std::map<std::string, std::string>;  // by key

  void read_again();
  bool changed();
  bool watch_tells_change();
  std::optional<Names> read_names() const;

  std::string dir_;
  std::vector<std::string> prefixes_;
  std::vector<std::string> guests_;
  Names names_;
  bool lost_keys_ = false;
  int watch_ = -1;  // inotify's; it tells of files that are written in place
  std::int64_t modified_ns_ = -1;
  std::chrono::steady_clock::time_point read_at_;
};

}  // namespace cox
