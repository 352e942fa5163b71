// The key of a script or an environment in cox.blob: "sha256:UID:HEX". SHA-256, because users
// choose the content and nobody may be able to make another content with the same key. The user is
// a part of the key, so that one user's content never stands in for another's. Pure.
//
// Rows that an older version stored have keys of 32 hex digits. Jobs name their rows by the whole
// key, so both kinds are read alike.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cox {

std::string blob_key(std::uint32_t uid, std::string_view content);

}  // namespace cox
