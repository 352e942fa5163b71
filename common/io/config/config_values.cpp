#include "common/io/config/config_values.h"

#include <arpa/inet.h>

#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "common/base/count_format.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/io/endpoint.h"
#include "common/io/key_folder.h"
#include "common/resources/gres.h"

namespace cox {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t ms;
};
constexpr std::array<Unit, 4> units{{{"h", 3'600'000}, {"min", 60'000}, {"s", 1'000}, {"ms", 1}}};
// Largest number before any unit, so that no product overflows.
constexpr std::int64_t count_max = 1'000'000'000;

// Parses decimal digits without sign or blank.
std::optional<std::int64_t> number(std::string_view digits) {
  std::int64_t value = 0;
  const char* last = digits.data() + digits.size();
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  const auto [stop, error] = std::from_chars(digits.data(), last, value);
  if (error != std::errc() || stop != last || value > count_max) return std::nullopt;
  return value;
}

Refusal must_be(const std::string& text, const std::string& what) {
  return {"is " + quoted(text) + "; it must be " + what, ""};
}

Result<std::string> parse_endpoint_over(const std::string& text, Transport wanted,
                                        const std::string& form) {
  const auto transport = transport_of(text);
  if (!transport || *transport != wanted || text.size() > limits::path_bytes_max) {
    return must_be(text, form);
  }
  return text;
}

// Checks the port of a tcp:// endpoint. Port 0 or * is any free port, which only a listener may
// name.
bool has_port(const std::string& endpoint, bool listens) {
  if (!endpoint.starts_with("tcp://")) return true;
  const std::string port = endpoint.substr(endpoint.rfind(':') + 1);
  return (listens && port == "*") || parse_count(port, listens ? 0 : 1, 65'535).ok();
}

constexpr const char* endpoint_forms =
    "ipc:///PATH or tcp://ADDRESS:PORT, with a port from 1 to 65535";

}  // namespace

Result<Milliseconds> parse_duration(const std::string& text) {
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto count = number(std::string_view(text).substr(0, digits));
  for (const auto& unit : units) {
    if (count && text.substr(digits) == unit.name) return Milliseconds{*count * unit.ms};
  }
  return must_be(text, "a duration such as \"15s\" (units: ms, s, min, h)");
}

std::string shown(Milliseconds duration) {
  for (const auto& unit : units) {
    if (duration.count() != 0 && duration.count() % unit.ms != 0) continue;
    if (duration.count() == 0) return "0s";
    return std::to_string(duration.count() / unit.ms) + std::string(unit.name);
  }
  return "";
}

Result<std::int64_t> parse_time_limit(const std::string& text) {
  const std::string_view all = text;
  const auto dash = all.find('-');
  const auto days = dash == all.npos ? std::optional<std::int64_t>(0) : number(all.substr(0, dash));
  const auto clock = dash == all.npos ? all : all.substr(dash + 1);
  const auto first = clock.find(':');
  const auto second = first == clock.npos ? clock.npos : clock.find(':', first + 1);
  const auto refused =
      must_be(text, "a time such as \"12:00:00\", \"7-00:00:00\" or \"90min\" (units: s, min, h)");
  if (second == clock.npos) {
    const auto duration = parse_duration(text);
    if (!duration || duration->count() % 1000 != 0) return refused;
    return duration->count() / 1000;
  }
  const auto hours = number(clock.substr(0, first));
  const auto minutes = number(clock.substr(first + 1, second - first - 1));
  const auto seconds = number(clock.substr(second + 1));
  if (!days || !hours || !minutes || !seconds) return refused;
  if (*minutes > 59 || *seconds > 59) return refused;
  if (dash != all.npos && *hours > 23) return refused;
  return ((*days * 24 + *hours) * 60 + *minutes) * 60 + *seconds;
}

namespace {

const std::string gpus_of_a_node = "\"gpu:COUNT\" or \"gpu:TYPE:COUNT\", from 1 to " +
                                   std::to_string(limits::gpus_per_node_max) + " devices in all";

Failure add_gpus(const std::string& entry, const GpuWish& gpus, std::vector<GpuDevice>& devices) {
  const auto all = std::ssize(devices) + gpus.count;
  if (!gpus.is_whole() || gpus.count == 0 || all > limits::gpus_per_node_max)
    return must_be(entry, gpus_of_a_node);
  const std::string type = gpus.types.empty() ? "" : gpus.types.front().type;
  for (std::int64_t i = 0; i < gpus.count; ++i)
    devices.push_back({static_cast<std::int32_t>(devices.size()), type, ""});
  return std::nullopt;
}

}  // namespace

Result<NodeResources> parse_node_gres(const std::vector<std::string>& entries) {
  NodeResources node;
  for (const auto& entry : entries) {
    const auto wish = parse_gres(entry);
    if (!wish && entry.starts_with("gpu:")) return must_be(entry, gpus_of_a_node);
    if (!wish || !entry.contains(':') || entry.contains(','))
      return must_be(entry, "\"gpu:COUNT\", \"gpu:TYPE:COUNT\" or another \"NAME:TYPE:COUNT\"");
    if (entry.starts_with("gpu:")) {
      if (auto failure = add_gpus(entry, wish->gpus, node.gpus)) return *failure;
      continue;
    }
    node.gres.insert(node.gres.end(), wish->others.begin(), wish->others.end());
  }
  return node;
}

Result<std::string> parse_line(const std::string& text) {
  if (text.empty() || text.size() > limits::path_bytes_max || has_control_characters(text)) {
    return must_be(
        text, "one line of text, at most " + std::to_string(limits::path_bytes_max) + " bytes");
  }
  return text;
}

Result<std::string> parse_name(const std::string& text) {
  if (is_host_name(text)) return text;
  return must_be(text, "a name of letters, digits, '-', '_' and '.', at most " +
                           std::to_string(limits::word_bytes_max) + " bytes");
}

Result<std::string> parse_path(const std::string& text) {
  if (text.starts_with("/") && parse_line(text).ok()) return text;
  return must_be(text, "an absolute path");
}

Result<std::string> parse_address(const std::string& text) {
  in_addr address{};
  if (::inet_pton(AF_INET, text.c_str(), &address) == 1) return text;
  return must_be(text, "a numeric IPv4 address");
}

Result<std::string> parse_endpoint(const std::string& text) {
  const bool is_short = text.size() <= limits::path_bytes_max;
  if (transport_of(text).ok() && is_short && has_port(text, true)) return text;
  return must_be(text, endpoint_forms);
}

Result<std::string> parse_endpoints(const std::string& text) {
  std::string list;
  for (const std::string& endpoint : endpoints_of(text)) {
    if (!transport_of(endpoint) || !has_port(endpoint, false))
      return must_be(endpoint, endpoint_forms);
    list += (list.empty() ? "" : ",") + endpoint;
  }
  if (!list.empty() && list.size() <= limits::path_bytes_max) return list;
  return must_be(text, std::string(endpoint_forms) + ", or several, separated by commas");
}

Result<std::string> parse_local_endpoint(const std::string& text) {
  return parse_endpoint_over(text, Transport::Local, "ipc:///PATH");
}

Result<std::string> parse_tcp_endpoint(const std::string& text) {
  if (!has_port(text, true))
    return must_be(text, "tcp://ADDRESS:PORT, with a port from 1 to 65535");
  return parse_endpoint_over(text, Transport::Tcp, "tcp://ADDRESS:PORT");
}

Result<std::string> parse_public_key(const std::string& text) {
  if (is_curve_key(text)) return text;
  return must_be(text, "the 40 characters after \"public \" in a .pub file");
}

}  // namespace cox
