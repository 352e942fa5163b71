// What an endpoint may look like: ipc:///ABSOLUTE/PATH or tcp://ADDRESS:PORT. A relative path would
// change its meaning with the working folder, an abstract one has no mode that guards it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace cox {

enum class Transport : std::uint8_t { Local, Tcp };

Result<Transport> transport_of(const std::string& endpoint);

// Of a list by commas: where several controllers are, of which one leads. None is empty.
std::vector<std::string> endpoints_of(const std::string& list);
bool any_by_tcp(const std::string& list);

// False when nobody listens at a local endpoint: one who connects would wait in silence, and one
// who listens may take its place (libzmq takes it in any case). True for what cannot be looked at.
bool somebody_listens(const std::string& endpoint);

}  // namespace cox
