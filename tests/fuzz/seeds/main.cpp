// The program fuzz_seeds FOLDER, which writes a frame of every kind of message into the folder, as
// first inputs for fuzzing the codec.
#include <filesystem>
#include <fstream>

#include "common/messages/codec.h"
#include "tests/fuzz/every_message.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  int number = 0;
  for (const cox::Message& message : cox::fuzz::every_message()) {
    std::ofstream file(folder / ("message-" + std::to_string(number++)), std::ios::binary);
    file << cox::encode(message);
    if (!file.flush()) return 1;
  }
}
