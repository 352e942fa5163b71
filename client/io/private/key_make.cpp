// `cox key make NAME`: makes the two key files of a controller, worker or client that uses TCP.
#include <cstdio>

#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/show/json.h"

namespace cox {

int run_key_make(const Command& command, const KeyOptions& options) {
  const std::string dir = options.dir.empty() ? "." : options.dir;
  const auto key = make_key_files(dir, options.name);
  if (!key) return print_refusal(command, key.refusal(), options, exit_refused);
  const std::string path = dir + "/" + options.name;
  const std::string text = "made " + path + ".key, to be kept secret, and " + path +
                           ".pub; the public key is\n" + key->public_key + "\n";
  return print(
      {options.json ? json_text(MadeKey{path + ".key", path + ".pub", key->public_key}) : text, "",
       exit_ok});
}

}  // namespace cox
