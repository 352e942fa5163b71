// Writes and reads key files, and reads the folder of admitted keys.
#include <dirent.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "common/base/limits.h"
#include "common/io/key_folder.h"
#include "common/io/link.h"
#include "zmq.h"

namespace cox {
namespace {

constexpr std::size_t key_chars = 40;  // a key in Z85: 32 bytes
constexpr std::size_t key_file_bytes_max = 4096;
constexpr std::size_t key_files_max = 65536;
// A handshake with an unknown key reads the folder again, but not before this time has passed, so
// that such handshakes cause little work.
constexpr auto read_again_after = std::chrono::seconds(1);
constexpr std::string_view z85_chars =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

bool is_key_name(const std::string& name) {
  constexpr std::string_view allowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  return !name.empty() && name.size() <= limits::word_bytes_max && name.front() != '.' &&
         name.find_first_not_of(allowed) == std::string::npos;
}

Refusal cannot(const std::string& what, const std::string& path) {
  return {"cannot " + what + " " + path + ": " + std::strerror(errno), ""};
}

Failure write_new_file(const std::string& path, mode_t mode, std::string_view text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  if (fd < 0 && errno == EEXIST) {
    return Refusal{path + " exists", "remove it first if this key is to be replaced"};
  }
  if (fd < 0) return cannot("create", path);
  // fchmod sets the mode whatever the umask is.
  const bool written = ::fchmod(fd, mode) == 0 &&
                       ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                       ::fsync(fd) == 0;
  Failure failure;
  if (!written) failure = cannot("write", path);
  ::close(fd);
  if (failure) ::unlink(path.c_str());
  return failure;
}

struct KeyText {
  std::string text;
  bool private_file = false;  // the file's mode lets only its owner read it
};

Result<KeyText> read_text(const std::string& path) {
  // O_NONBLOCK: a FIFO instead of a key file must not block this program.
  const int fd = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return cannot("open", path);
  struct stat status {};
  char buffer[key_file_bytes_max];
  const bool regular = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
  const ssize_t bytes = regular ? ::read(fd, buffer, sizeof buffer) : 0;
  ::close(fd);
  if (!regular) return Refusal{path + " is not a regular file", ""};
  if (bytes < 0) return cannot("read", path);
  return KeyText{std::string(buffer, static_cast<std::size_t>(bytes)),
                 (status.st_mode & (S_IRWXG | S_IRWXO)) == 0};
}

std::string word_after(const std::string& text, std::string_view label) {
  std::size_t line = 0;
  while (line < text.size()) {
    const std::size_t end = std::min(text.find('\n', line), text.size());
    if (text.compare(line, label.size(), label) == 0) {
      return text.substr(line + label.size(), end - line - label.size());
    }
    line = end + 1;
  }
  return "";
}

}  // namespace

bool is_curve_key(const std::string& z85) {
  return z85.size() == key_chars && z85.find_first_not_of(z85_chars) == std::string::npos;
}

Result<KeyPair> make_key_pair() {
  char public_key[key_chars + 1];
  char secret_key[key_chars + 1];
  if (zmq_curve_keypair(public_key, secret_key) != 0) {
    return Refusal{"this libzmq has no CURVE encryption", "install one that is built with it"};
  }
  return KeyPair{public_key, secret_key};
}

Result<KeyPair> make_key_files(const std::string& dir, const std::string& name) {
  if (!is_key_name(name)) {
    return Refusal{"'" + name + "' cannot name a key",
                   "use letters, digits, '_', '.' and '-', at most " +
                       std::to_string(limits::word_bytes_max) + " of them"};
  }
  const auto pair = make_key_pair();
  if (!pair) return pair.refusal();
  const std::string public_line = "public " + pair->public_key + "\n";
  const std::string secret_path = dir + "/" + name + ".key";
  if (auto failure =
          write_new_file(secret_path, 0600, public_line + "secret " + pair->secret_key + "\n")) {
    return *failure;
  }
  if (auto failure = write_new_file(dir + "/" + name + ".pub", 0644, public_line)) {
    ::unlink(secret_path.c_str());
    return *failure;
  }
  return pair;
}

Result<KeyPair> read_key_file(const std::string& path) {
  auto read = read_text(path);
  if (!read) return read.refusal();
  KeyPair pair{word_after(read->text, "public "), word_after(read->text, "secret ")};
  if (!is_curve_key(pair.public_key)) {
    return Refusal{path + " holds no line 'public KEY' with a key of 40 characters",
                   "make new key files with 'cox key make'"};
  }
  if (pair.secret_key.empty()) return pair;
  if (!is_curve_key(pair.secret_key)) {
    return Refusal{path + ": the secret key is not 40 characters of Z85",
                   "make new key files with 'cox key make'"};
  }
  if (!read->private_file) {
    return Refusal{path + " holds a secret key and others may read it", "chmod 600 " + path};
  }
  return pair;
}

KeyFolder::KeyFolder(std::string dir, std::vector<std::string> prefixes,
                     std::vector<std::string> guests)
    : dir_(std::move(dir)), prefixes_(std::move(prefixes)), guests_(std::move(guests)) {
  if (dir_.empty()) return;
  watch_ = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  read_again();
}

KeyFolder::~KeyFolder() {
  if (watch_ >= 0) ::close(watch_);
}

static std::int64_t modified_ns(const std::string& dir) {
  struct stat status {};
  if (::stat(dir.c_str(), &status) != 0) return -1;
  return status.st_mtim.tv_sec * std::int64_t{1'000'000'000} + status.st_mtim.tv_nsec;
}

// Returns whether inotify has reported a change. Some file systems have no inotify; there only the
// modification time of the folder shows a change.
bool KeyFolder::watch_shows_change() {
  char events[4096];
  bool some = false;
  while (watch_ >= 0 && ::read(watch_, events, sizeof events) > 0) some = true;
  return some;
}

bool KeyFolder::changed() {
  const bool was_notified = watch_shows_change();
  return was_notified || modified_ns(dir_) != modified_ns_;
}

// Reads the admitted keys. Returns nothing if descriptors or memory are exhausted, or the storage
// does not answer: then the keys of the last reading stay admitted.
std::optional<KeyFolder::Names> KeyFolder::read_names() const {
  const auto may_pass = [] {
    constexpr std::array passing{EMFILE, ENFILE, ENOMEM, EIO, ESTALE, ETIMEDOUT};
    return std::ranges::find(passing, errno) != passing.end();
  };
  DIR* folder = ::opendir(dir_.c_str());
  if (folder == nullptr) return may_pass() ? std::nullopt : std::optional<Names>(Names{});
  std::optional<Names> names = Names{};
  for (;;) {
    errno = 0;  // readdir returns null also for an error
    const dirent* entry = ::readdir(folder);
    if (entry == nullptr && may_pass()) names.reset();
    if (entry == nullptr) break;
    std::string name = entry->d_name;
    if (names->size() == key_files_max) break;
    if (name.size() <= 4 || name.compare(name.size() - 4, 4, ".pub") != 0) continue;
    const auto path = dir_ + "/" + name;
    name.resize(name.size() - 4);
    const bool admitted = std::any_of(prefixes_.begin(), prefixes_.end(), [&](const auto& prefix) {
      return name.compare(0, prefix.size(), prefix) == 0;
    });
    if (!admitted || !is_key_name(name)) continue;
    errno = 0;
    const auto key = read_key_file(path);
    if (!key && may_pass()) {
      names.reset();
      break;
    }
    if (!key) continue;
    // If one key has two files, the first name in alphabetical order is used.
    auto [at, fresh] = names->emplace(key->public_key, name);
    if (!fresh) at->second = std::min(at->second, name);
  }
  ::closedir(folder);
  return names;
}

void KeyFolder::read_again() {
  constexpr std::uint32_t events = IN_CLOSE_WRITE | IN_MOVE | IN_CREATE | IN_DELETE | IN_ATTRIB;
  read_at_ = std::chrono::steady_clock::now();
  if (watch_ >= 0) ::inotify_add_watch(watch_, dir_.c_str(), events);
  modified_ns_ = modified_ns(dir_);
  auto names = read_names();
  if (!names) {
    modified_ns_ = -1;  // no modification time: read again next time
    return;
  }
  for (const auto& [key, name] : names_) {
    const auto at = names->find(key);
    lost_keys_ = lost_keys_ || at == names->end() || at->second != name;
  }
  names_ = std::move(*names);
}

bool KeyFolder::admits(const std::string& public_key, const std::string& name) const {
  if (std::ranges::find(guests_, public_key) != guests_.end()) return true;
  const auto at = names_.find(public_key);
  return at != names_.end() && at->second == name;
}

bool KeyFolder::has_lost_keys() {
  if (dir_.empty()) return false;
  if (changed()) read_again();
  return std::exchange(lost_keys_, false);
}

std::optional<std::string> KeyFolder::name_of(const std::string& public_key) {
  if (std::ranges::find(guests_, public_key) != guests_.end()) return "guest";
  if (dir_.empty()) return std::nullopt;
  const bool stranger = !names_.contains(public_key);
  const bool may_read = std::chrono::steady_clock::now() - read_at_ >= read_again_after;
  if (changed() || (stranger && may_read)) read_again();
  const auto found = names_.find(public_key);
  if (found == names_.end()) return std::nullopt;
  return found->second;
}

}  // namespace cox
