// `cox import FILE...`: reads Slurm's files and the files that they include, and writes or prints
// the result of client/setup/slurm_import.h.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "client/io/private/files.h"
#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/setup/slurm_import.h"
#include "client/show/json.h"
#include "common/base/text.h"

namespace cox {
namespace {

namespace fs = std::filesystem;

// Limit on the size of one input file: fits a dump of very many users.
constexpr std::size_t file_bytes_max = 64u << 20;
constexpr std::size_t files_max = 256;
constexpr int included_depth_max = 8;

Failure read_source(const fs::path& path, bool included, int depth,
                    std::vector<SourceFile>& sources) {
  std::error_code error;
  const auto bytes = fs::is_regular_file(path, error) ? fs::file_size(path, error) : 0;
  const auto text = error || bytes > file_bytes_max ? std::nullopt : read_file(path);
  if (!text || !fs::is_regular_file(path, error))
    return Refusal{"cannot read " + quoted(path.string()),
                   "name regular files of at most 64 MiB; files that they include must exist"};
  if (sources.size() >= files_max || depth > included_depth_max)
    return Refusal{"more than " + std::to_string(files_max) +
                       " files, or includes nested deeper than " +
                       std::to_string(included_depth_max) + " deep",
                   "import fewer files at once"};
  sources.push_back({path.string(), *text, included});
  for (const std::string_view line : lines_of(*text))
    if (const auto more = included_file(line))
      if (Failure failure = read_source(path.parent_path() / *more, true, depth + 1, sources))
        return failure;
  return std::nullopt;
}

Failure write_new(const fs::path& path, const std::string& text) {
  if (fs::exists(path))
    return Refusal{path.string() + " already exists", "name another folder, or remove it"};
  std::ofstream file(path, std::ios::binary);
  if (file << text << std::flush) return std::nullopt;
  return Refusal{"cannot write " + path.string() + ": " + std::strerror(errno),
                 "name a folder in which you may create files"};
}

// Writes the files into the folder. Returns their paths, one per line.
Result<std::string> write_all(const std::vector<SourceFile>& files, const std::string& dir) {
  std::error_code error;
  fs::create_directories(dir, error);
  std::string said;
  for (const SourceFile& file : files) {
    const fs::path path = fs::path(dir) / file.name;
    if (Failure failure = write_new(path, file.text)) return *failure;
    said += path.string() + "\n";
  }
  return said;
}

}  // namespace

int run_import(const Command& command, const ImportOptions& options) {
  std::vector<SourceFile> sources;
  for (const std::string& path : options.files)
    if (Failure failure = read_source(path, false, 0, sources))
      return print_refusal(command, *failure, options, exit_refused);
  const auto imported = import_slurm(sources);
  if (!imported) return print_refusal(command, imported.refusal(), options, exit_refused);
  Shown shown;
  for (const std::string& note : imported->notes) shown.err += note + "\n";
  if (!options.dir.empty()) {
    const auto said = write_all(imported->files, options.dir);
    if (!said) return print_refusal(command, said.refusal(), options, exit_refused);
    shown.out = *said;
  } else if (!imported->files.empty()) {
    shown.out = in_one_text(imported->files);
  }
  if (options.json) shown = {json_text(*imported), "", exit_ok};
  return print(shown);
}

}  // namespace cox
