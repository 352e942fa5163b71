// Rows of option tables, such as --noheader, that several of Slurm's commands share: sacct, sprio
// and so on. Commands that parse with option_words.h, such as squeue, have their own rows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/command_line.h"
#include "common/base/text.h"

namespace cox {

// Stores --json or --yaml. The value may name a data parser; only v0.0.40 is supported.
inline Failure take_data_parser(Options& options, std::string_view value) {
  options.json = true;
  if (value.empty() || value.starts_with("v0.0.40")) return std::nullopt;
  return Refusal{"Unable to find plugin: data_parser/" + printable(value),
                 "only v0.0.40 is supported"};
}

// Stores a value of --format in place of an earlier one: the last one counts.
inline Failure set_only(std::string_view value, std::vector<std::string>& into) {
  into = {std::string(value)};
  return std::nullopt;
}

template <class Asked>
inline constexpr OptionRow<Asked> long_help_row = {
    "help", 0, Takes::Nothing, "", "this text", "", nullptr, OptionForm::shows_help};
template <class Asked>
inline constexpr OptionRow<Asked> usage_row = {
    "usage", 0, Takes::Nothing, "", "same as --help", "", nullptr, OptionForm::shows_help};
template <class Asked>
inline constexpr OptionRow<Asked> no_header_row = {"noheader",  'n', Takes::Nothing,         "",
                                                   "no header", "",  into<&Asked::no_header>};
template <class Asked>
inline constexpr OptionRow<Asked> parsable_row = {
    "parsable", 'p', Takes::Nothing, "", "columns|like|this|", "", into<&Asked::parsable>};
template <class Asked>
inline constexpr OptionRow<Asked> parsable2_row = {
    "parsable2", 'P', Takes::Nothing, "", "columns|like|this", "", into<&Asked::parsable2>};
template <class Asked>
inline constexpr OptionRow<Asked> yaml_row = {
    "yaml", 0,  Takes::ValueAttached,       "",
    "",     "", taken_by<take_data_parser>, OptionForm::verbatim_refusal};

// The rows of --clusters and its other name. `variable`: SLURM_CLUSTERS, where Slurm reads it.
template <class Asked>
constexpr OptionRow<Asked> clusters_row(std::string_view variable) {
  return {"clusters",
          'M',
          Takes::Value,
          "TEXT",
          "this cluster's name, or all",
          variable,
          list_into<&Asked::clusters>};
}
template <class Asked>
inline constexpr OptionRow<Asked> cluster_row = {
    "cluster", 0, Takes::Value, "", "", "", list_into<&Asked::clusters>};

// Returns the row of --json[=PARSER] with this help text. It sets Options::json, like --json of
// cox's commands.
template <class Asked>
constexpr OptionRow<Asked> json_row(std::string_view help) {
  return {"json", 0,  Takes::ValueAttached,       "",
          help,   "", taken_by<take_data_parser>, OptionForm::verbatim_refusal};
}

}  // namespace cox
