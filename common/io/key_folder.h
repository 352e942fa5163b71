// The public keys that may connect: NAME.pub files in one folder. A file that is added, changed or
// removed takes effect at the next handshake, and at the next call of has_lost_keys(). Only the
// link (link.h) uses it.
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
  // Admits the keys in files of `dir` whose names begin with one of `prefixes`, and the keys
  // `guests`, which have no files. If `dir` is empty, it admits only the guests.
  KeyFolder(std::string dir, std::vector<std::string> prefixes, std::vector<std::string> guests);
  KeyFolder(const KeyFolder&) = delete;
  ~KeyFolder();
  const std::string& dir() const { return dir_; }
  // Returns the name of the key (Z85) if the key is admitted: its file's name without ".pub". Reads
  // the folder again if it has changed.
  std::optional<std::string> name_of(const std::string& public_key);
  // Returns whether the key is admitted with this name, as of the last reading of the folder.
  bool admits(const std::string& public_key, const std::string& name) const;
  // Reads the folder again if it has changed. Returns whether an admitted key was removed or
  // renamed since the last call.
  bool has_lost_keys();

 private:
  using Names = std::map<std::string, std::string>;  // by key

  void read_again();
  bool changed();
  bool watch_shows_change();
  std::optional<Names> read_names() const;

  std::string dir_;
  std::vector<std::string> prefixes_;
  std::vector<std::string> guests_;
  Names names_;
  bool lost_keys_ = false;
  int watch_ = -1;  // inotify descriptor, which also reports a file that is written in place
  std::int64_t modified_ns_ = -1;
  std::chrono::steady_clock::time_point read_at_;
};

}  // namespace cox
