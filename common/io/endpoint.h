// The form of endpoints: ipc:///ABSOLUTE/PATH or tcp://ADDRESS:PORT. Relative paths are refused,
// because they would depend on the working folder; abstract sockets are refused, because no file
// mode protects them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace cox {

enum class Transport : std::uint8_t { Local, Tcp };

Result<Transport> transport_of(const std::string& endpoint);

// Splits a list with commas, which names the endpoints of several controllers. Drops empty entries.
std::vector<std::string> endpoints_of(const std::string& list);
bool any_by_tcp(const std::string& list);

// Returns whether a program listens at an ipc:// endpoint; true also for tcp:// and if this cannot
// be found out. If none listens, a client would wait there in silence, and a listener may replace
// the socket's file (libzmq always replaces it).
bool somebody_listens(const std::string& endpoint);

}  // namespace cox
