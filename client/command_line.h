// Parses command lines into structs derived from Options, and declares the option rows that many
// tables share.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "client/command.h"

namespace cox {

template <class Asked>
inline constexpr OptionRow<Asked> config_row = {
    "config", 0, Takes::Value, "TEXT", "the cluster's coxswain.toml", "", into<&Options::config>};
template <class Asked>
inline constexpr OptionRow<Asked> help_row = {
    "help", 'h', Takes::Nothing, "", "this text", "", nullptr, OptionForm::shows_help};

// Parses the words after the command's name. Returns the struct of the command's line, the text of
// --help, or a Refusal. If an option is not given, its environment variable ("NAME=VALUE" in
// `environment`) is used.
using Parsed = std::variant<std::unique_ptr<Options>, std::string, Refusal>;
Parsed parse_options(const Command& command, const std::vector<std::string>& words,
                     const std::vector<std::string>& environment = {});

// Returns the options and operands of a command, for its man page and for shell completion.
// REQUIRES: command.line is not null (other commands have tables of their own).
std::vector<OptionForm> declared_options(const Command& command);

}  // namespace cox
