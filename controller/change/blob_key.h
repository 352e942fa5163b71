// The key of a script or an environment in cox.blob: "sha256:UID:HEX". SHA-256, because users
// choose the content, and must not be able to make two contents with the same key. The uid is part
// of the key, so that users never share a row. Pure.
//
// Rows that an older version stored have keys of 32 hex digits. Jobs have the whole key of their
// rows, so both kinds are read in the same way.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cox {

std::string blob_key(std::uint32_t uid, std::string_view content);

}  // namespace cox
