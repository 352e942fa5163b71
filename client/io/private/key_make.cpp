// `cox key make NAME`: a pair of files, for a controller, a worker or a client that speaks over
// tcp.
#include <cstdio>

#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/show/json.h"

namespace cox {

int run_key_make(const Command& command, const Options& options) {
  const std::string dir = options.dir.empty() ? "." : options.dir;
  const auto key = make_key_files(dir, options.key_name);
  if (!key) return print_refusal(command, key.refusal(), options, exit_refused);
  const std::string path = dir + "/" + options.key_name;
  const std::string text = "made " + path + ".key, to be kept secret, and " + path +
                           ".pub; the public key is\n" + key->public_key + "\n";
  return print(
      {options.json ? json_text(MadeKey{path + ".key", path + ".pub", key->public_key}) : text, "",
       exit_ok});
}

}  // namespace cox
