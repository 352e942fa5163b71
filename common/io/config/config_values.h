// Parses the values of coxswain.toml. The text of a refusal continues "KEY in [TABLE] ", for
// example with "is 'x'; it must be ...". Only config_*.cpp use it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/base/time.h"
#include "common/job/resources.h"

namespace cox {

Result<Milliseconds> parse_duration(const std::string& text);  // "2500ms", "15s", "15min", "2h"
std::string shown(Milliseconds duration);  // writes the form that parse_duration() reads

// Parses "HH:MM:SS" or "D-HH:MM:SS" into seconds.
Result<std::int64_t> parse_time_limit(const std::string& text);

// Parses what a node has: ["gpu:h100:4", "gpu:2", "fpga:u280:2"] are the GPUs 0 to 5, and two FPGAs
// of type u280.
Result<NodeResources> parse_node_gres(const std::vector<std::string>& entries);

Result<std::string> parse_line(const std::string& text);  // printable, not empty
// Checks that it has only letters, digits, '-', '_', '.'.
Result<std::string> parse_name(const std::string& text);
Result<std::string> parse_path(const std::string& text);     // absolute
Result<std::string> parse_address(const std::string& text);  // numeric IPv4
// Checks the endpoint of a listener, ipc:// or tcp://. Port 0 or * is any free port.
Result<std::string> parse_endpoint(const std::string& text);
// Checks the endpoints that a client connects to, with commas.
Result<std::string> parse_endpoints(const std::string& text);
Result<std::string> parse_local_endpoint(const std::string& text);
Result<std::string> parse_tcp_endpoint(const std::string& text);
Result<std::string> parse_public_key(const std::string& text);

}  // namespace cox
