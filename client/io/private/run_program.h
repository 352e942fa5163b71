// Programs that a command runs on its own host and waits for.
#pragma once

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

}  // namespace cox
