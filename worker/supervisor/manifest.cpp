#include "worker/supervisor/manifest.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "common/base/content_hash.h"
#include "common/base/count_format.h"
#include "common/base/limits.h"

namespace cox {
namespace {

constexpr std::string_view first_line = "coxswain-manifest 1";
constexpr std::string_view first_words_with_identity = "coxswain-manifest 2 ";
constexpr std::string_view hex_digits = "0123456789ABCDEF";
constexpr std::size_t hash_bytes = 32;

std::string escaped(std::string_view path) {
  std::string text;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || c == '%')
      text += {'%', hex_digits[byte >> 4], hex_digits[byte & 15]};
    else
      text += c;
  }
  return text;
}

// Reverses escaped(). An invalid code stays as it is; parse_manifest() rejects such a text.
std::string unescaped(std::string_view text) {
  std::string path;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_code = text[i] == '%' && i + 2 < text.size();
    const auto high = is_code ? hex_digits.find(text[i + 1]) : hex_digits.npos;
    const auto low = is_code ? hex_digits.find(text[i + 2]) : hex_digits.npos;
    if (high == hex_digits.npos || low == hex_digits.npos) {
      path += text[i];
    } else {
      path += static_cast<char>(high << 4 | low);
      i += 2;
    }
  }
  return path;
}

// Parses "SIZE HASH PATH". None: the line is not of this form.
std::optional<SavedFile> parse_line(std::string_view line) {
  const std::size_t size_end = line.find(' ');
  const auto bytes =
      parse_count(line.substr(0, size_end), 0, std::numeric_limits<std::int64_t>::max());
  if (!bytes || line.size() <= size_end + 1 + hash_bytes + 1) return std::nullopt;
  const std::string_view rest = line.substr(size_end + 1);
  SavedFile file{unescaped(rest.substr(hash_bytes + 1)), *bytes,
                 std::string(rest.substr(0, hash_bytes))};
  // No file name has a NUL byte; open() would cut it there.
  if (file.path.find('\0') != std::string::npos) return std::nullopt;
  return file;
}

bool is_of_identity(char c) {
  return c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
}

}  // namespace

std::string manifest_text(const Manifest& manifest) {
  std::string text(manifest.identity.empty() ? first_line : first_words_with_identity);
  text += manifest.identity + "\n";
  for (const SavedFile& file : manifest.files)
    text += std::to_string(file.bytes) + " " + file.hash + " " + escaped(file.path) + "\n";
  return text + "end " + content_hash(text) + "\n";
}

std::optional<Manifest> parse_manifest(std::string_view text) {
  Manifest manifest;
  std::size_t end = text.find('\n');
  if (text.starts_with(first_words_with_identity))
    manifest.identity = text.substr(0, end).substr(first_words_with_identity.size());
  if (!std::ranges::all_of(manifest.identity, is_of_identity)) return std::nullopt;
  while (end != text.npos && !text.substr(end + 1).starts_with("end ")) {
    const std::size_t begin = end + 1;
    end = text.find('\n', begin);
    auto file = parse_line(text.substr(begin, end - begin));
    if (!file || manifest.files.size() == limits::checkpoint_files_max) return std::nullopt;
    manifest.files.push_back(std::move(*file));
  }
  if (manifest_text(manifest) != text) return std::nullopt;
  return manifest;
}

}  // namespace cox
