// Programs that a command runs on its own host and waits for.
#pragma once

#include <string>
#include <vector>

namespace cox {

// Returns pointers to the words, and a null behind them, as exec takes them. REQUIRES: the words
// outlive them.
std::vector<char*> exec_words(std::vector<std::string>& words);

struct ProgramEnd {
  int error = 0;   // why the program could not be started; 0: it ran
  int status = 0;  // as waitpid() returns it
};
// Runs a program with the streams of this process, and waits for its end. No signal is blocked or
// ignored in it.
ProgramEnd run_program(const std::string& path, std::vector<std::string> words,
                       std::vector<std::string> environment);

}  // namespace cox
