// A checksum that finds damage, and no more: xxh3-128 as 32 hex digits. Anybody can make two
// contents with the same one; what users choose is identified by controller/change/blob_key.h.
#pragma once

#include <string>
#include <string_view>

namespace cox {

std::string content_hash(std::string_view content);

}  // namespace cox
