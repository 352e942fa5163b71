// What an endpoint may look like: ipc:///ABSOLUTE/PATH or tcp://ADDRESS:PORT. A relative path would
// change its meaning with the working folder, an abstract one has no mode that guards it.
#pragma once

#include <cstdint>
#include <string>

#include "common/result.h"

namespace cox {

enum class Transport : std::uint8_t { Local, Tcp };

Result<Transport> transport_of(const std::string& endpoint);

}  // namespace cox
