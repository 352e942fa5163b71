#include "controller/change/blob_key.h"

#include <openssl/evp.h>

#include <array>

#include "common/base/check.h"

namespace cox {

std::string blob_key(std::uint32_t uid, std::string_view content) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int bytes = 0;
  CHECK(EVP_Digest(content.data(), content.size(), digest.data(), &bytes, EVP_sha256(), nullptr) ==
        1);
  constexpr char digits[] = "0123456789abcdef";
  std::string key = "sha256:" + std::to_string(uid) + ":";
  for (unsigned int i = 0; i < bytes; ++i) {
    key += digits[digest[i] >> 4];
    key += digits[digest[i] & 15];
  }
  return key;
}

}  // namespace cox
