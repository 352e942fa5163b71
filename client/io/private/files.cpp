#include "client/io/private/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "common/base/limits.h"

namespace cox {
namespace {

Refusal failed(const std::string& what) {
  return {what + ": " + std::strerror(errno), "choose another folder with --dir"};
}

bool write_and_close(int fd, std::string_view text) {
  if (fd < 0) return false;
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return ::close(fd) == 0 && text.empty();
}

}  // namespace

Failure write_into(const std::string& path, const std::string& text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (!write_and_close(fd, text))
    return Refusal{"cannot write " + path + ": " + std::strerror(errno),
                   "name a file that you can write"};
  return {};
}

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Result<std::optional<std::string>> read_file_if_any(const std::string& path) {
  const auto unreadable = [&] {
    return Refusal{"cannot read " + path + ": " + std::strerror(errno),
                   "make it readable for you, and repeat the command"};
  };
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) return std::optional<std::string>{};
  if (fd < 0) return unreadable();
  std::string text;
  std::array<char, 4096> piece;
  ssize_t count = 0;
  while ((count = ::read(fd, piece.data(), piece.size())) != 0) {
    if (count > 0) text.append(piece.data(), static_cast<std::size_t>(count));
    if (count < 0 && errno != EINTR) break;
  }
  const auto wrong = count < 0 ? std::optional(unreadable()) : std::nullopt;
  ::close(fd);
  if (wrong) return *wrong;
  return std::optional(std::move(text));
}

std::optional<std::string> read_named_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  std::array<char, 64 << 10> piece;
  while (file.good() && text.size() <= limits::named_file_bytes_max) {
    file.read(piece.data(), piece.size());
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (!file.is_open() || file.bad()) return std::nullopt;
  text.resize(std::min(text.size(), limits::named_file_bytes_max + 1));
  return text;
}

Failure write_file(const std::string& path, const std::string& text) {
  const std::string beside = path + ".new";
  ::unlink(beside.c_str());  // a leftover of a process that was killed while it wrote
  const int fd = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (!write_and_close(fd, text) || ::rename(beside.c_str(), path.c_str()) != 0)
    return failed("cannot write " + path);
  return {};
}

Failure make_folder(const std::string& path, mode_t mode) {
  std::error_code error;
  const auto parent = std::filesystem::path(path).parent_path();
  if (!parent.empty()) std::filesystem::create_directories(parent, error);
  if (::mkdir(path.c_str(), mode) == 0) return {};
  if (errno != EEXIST) return failed("cannot make the folder " + path);
  if (is_folder_of(path, ::geteuid())) return {};
  return Refusal{path + " exists, but is not a folder of yours",
                 "choose another folder with --dir"};
}

Result<std::string> make_unique_folder(const std::string& prefix) {
  std::string path = prefix + "XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) return failed("cannot make a folder " + path);
  return path;
}

bool is_folder_of(const std::string& path, uid_t uid) {
  struct stat about {};
  return ::lstat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == uid;
}

}  // namespace cox
