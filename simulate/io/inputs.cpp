#include "simulate/io/inputs.h"

#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "common/base/text.h"
#include "simulate/io/cluster_config.h"

namespace cox::simulate {
namespace {

constexpr std::size_t text_bytes_max = 1u << 30;

Refusal in_file(const std::string& path, const Refusal& why) {
  return {printable(path) + ": " + why.fact, why.hint};
}

Refusal cannot_write(const std::string& path) {
  return {"cannot write " + printable(path) + ": " + std::strerror(errno), ""};
}

}  // namespace

Result<std::string> read_text(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return Refusal{path + " is a folder", ""};
  errno = 0;
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(::gzopen(path.c_str(), "rb"), ::gzclose);
  if (file == nullptr)
    return Refusal{"cannot read " + printable(path) + ": " + std::strerror(errno), ""};
  std::string text;
  std::array<char, 1 << 16> piece{};
  int got = 0;
  while ((got = ::gzread(file.get(), piece.data(), piece.size())) > 0) {
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() > text_bytes_max)
      return Refusal{
          printable(path) + " has more than " + std::to_string(text_bytes_max) + " bytes of text",
          "use a part of it"};
  }
  int code = Z_OK;
  const char* what = ::gzerror(file.get(), &code);
  if (got < 0 || code != Z_OK)  // code Z_BUF_ERROR: the file is truncated
    return Refusal{
        "cannot read " + printable(path) + ": " + (code == Z_ERRNO ? std::strerror(errno) : what),
        "is the file complete?"};
  return text;
}

Failure write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::trunc | std::ios::binary);
  file << text;
  file.close();
  if (file) return std::nullopt;
  return cannot_write(path);
}

Failure check_writable(const std::string& path) {
  std::error_code error;
  // A pipe or device is not opened to check it: closing a pipe would end the program that reads it.
  if (std::filesystem::is_other(path, error)) return std::nullopt;
  const bool is_new = !std::filesystem::exists(path, error);
  const std::ofstream file(path, std::ios::app);
  if (!file) return cannot_write(path);
  if (is_new) std::filesystem::remove(path, error);
  return std::nullopt;
}

Result<Cluster> read_cluster(const std::string& spec) {
  std::error_code error;
  if (spec.find('=') != std::string::npos && !std::filesystem::exists(spec, error))
    return parse_cluster(spec);
  if (spec.ends_with(".toml")) return read_cluster_config(spec);
  if (!std::filesystem::exists(spec, error))
    return Refusal{"--cluster: there is no file " + quoted(spec),
                   "use procs=256 or nodes=8,gpus=8, or name a table of nodes, a coxswain.toml or "
                   "a slurm.conf"};
  const auto text = read_text(spec);
  if (!text) return text.refusal();
  auto cluster = spec.ends_with(".conf") ? cluster_of_slurm_conf(*text) : cluster_of_table(*text);
  if (!cluster) return in_file(spec, cluster.refusal());
  return cluster;
}

}  // namespace cox::simulate
