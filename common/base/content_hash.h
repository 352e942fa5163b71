// Computes a checksum that finds accidental damage: xxh3-128 as 32 hex digits. It is no protection
// against malice, since two contents with the same checksum are easily made. Contents that users
// choose are identified by controller/change/blob_key.h.
#pragma once

#include <string>
#include <string_view>

namespace cox {

std::string content_hash(std::string_view content);

}  // namespace cox
