// Programs that a command runs on its own host and waits for.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cox {

// Returns pointers to the words and a final null, as exec takes them. REQUIRES: the words outlive
// the pointers.
std::vector<char*> exec_words(std::vector<std::string>& words);

struct ProgramEnd {
  int error = 0;   // errno of the failed start; 0: the program ran
  int status = 0;  // wait status, as waitpid() returns it
};
// Runs a program with the standard streams of this process, and waits for its end. In the program
// no signal is blocked or ignored.
ProgramEnd run_program(const std::string& path, std::vector<std::string> words,
                       std::vector<std::string> environment);

struct ProgramOutput {
  int status = 0;    // wait status, as waitpid() returns it
  std::string text;  // what the program wrote to its standard output
};
// Runs the program `words[0]` and waits for its end. Returns nothing if it cannot be started.
std::optional<ProgramOutput> output_of(std::vector<std::string> words);

}  // namespace cox
