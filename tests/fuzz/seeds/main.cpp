// fuzz_seeds FOLDER: writes a frame of every kind of message there, for the fuzzing to begin with.
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
