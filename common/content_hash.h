// The address of a script or an environment by its content: xxh3-128 as 32 hex digits.
#pragma once

#include <string>
#include <string_view>

namespace cox {

std::string content_hash(std::string_view content);

}  // namespace cox
