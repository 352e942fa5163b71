#include "common/io/config/config_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "common/io/config/config_reader.h"
#include "common/io/program_place.h"

namespace cox {
namespace {

constexpr std::size_t config_bytes_max = 1u << 20;

// Returns "copy the example /usr/share/coxswain/coxswain.toml".
std::string copy_example() {
  const auto example = find_example();
  return "copy the example " + example.value_or("etc/coxswain.toml of the sources");
}

Refusal cannot_read(const std::string& path) {
  const int error = errno;
  if (error == EACCES)
    return {"cannot read " + path + ": this user lacks read permission",
            "run the command as another user, or ask the administrator for read access"};
  const char* named = std::getenv("COX_CONFIG");
  const std::string hint =
      named != nullptr && path == named
          ? "the path comes from $COX_CONFIG: correct it, or " + copy_example() + " there"
          : copy_example() + " there; it explains every key";
  return {"cannot read " + path + ": " + std::strerror(error), hint};
}

}  // namespace

Result<std::string> read_config_text(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return cannot_read(path);
  std::string text(config_bytes_max + 1, '\0');
  std::size_t size = 0;
  ssize_t bytes = 0;
  do {
    bytes = ::read(fd, text.data() + size, text.size() - size);
    if (bytes > 0) size += static_cast<std::size_t>(bytes);
  } while (bytes > 0 && size < text.size());
  const auto refused = cannot_read(path);
  ::close(fd);
  if (bytes < 0) return refused;
  if (size > config_bytes_max) {
    return Refusal{path + " is larger than " + std::to_string(config_bytes_max) + " bytes", ""};
  }
  text.resize(size);
  return text;
}

ConfigCheck check_config(const std::string& text, const std::string& path_shown) {
  const auto parsed = parse_toml(text, path_shown);
  if (parsed) return check_config(*parsed, path_shown);
  ConfigCheck check;
  check.config.path = path_shown;
  check.problems = {parsed.refusal()};
  return check;
}

Result<Config> parse_config(const std::string& text, const std::string& path_shown) {
  ConfigCheck check = check_config(text, path_shown);
  if (!check.problems.empty()) return check.problems.front();
  return std::move(check.config);
}

Result<Config> read_config(const std::string& path) {
  const auto text = read_config_text(path);
  if (!text) return text.refusal();
  return parse_config(*text, path);
}

Result<std::string> find_config(const std::string& given) {
  if (!given.empty()) return given;
  const char* named = std::getenv("COX_CONFIG");
  if (named != nullptr && *named != '\0') return std::string(named);
  const char* home = std::getenv("HOME");
  const std::string own =
      std::string(home == nullptr ? "" : home) + "/.local/state/coxswain/coxswain.toml";
  const std::string system = "/etc/coxswain/coxswain.toml";
  if (home != nullptr && ::access(own.c_str(), F_OK) == 0) return own;
  if (::access(system.c_str(), F_OK) == 0) return system;
  return Refusal{"there is no configuration: neither " + own + " nor " + system + " is there",
                 "start a cluster of your own with 'cox up', set COX_CONFIG to the "
                 "configuration of one, or " +
                     copy_example() + " to " + system};
}

}  // namespace cox
