// Builds the JSON of Slurm's commands, in the shape of Slurm 23.11's data parser v0.0.40. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/base/time.h"

namespace cox::slurm_json {

using Json = nlohmann::ordered_json;

// These return a number that may be unset or infinite, as an object with "set", "infinite" and
// "number".
Json known(std::int64_t value);
Json unset();
Json infinite();
Json set_if(bool set, std::int64_t value);
Json moment(Wall t);
Json minutes(std::int64_t seconds);               // rounded up; of 0 seconds: infinite
Json words(const std::vector<std::string>& all);  // the texts as a JSON list

// Returns the text of a document with `content` as the value of the key `name`, and Slurm's
// metadata. `command`: the words of the command line, which are part of the metadata.
std::string document(const std::vector<std::string>& command, const char* name, Json content,
                     const std::string& cluster, Wall now);

}  // namespace cox::slurm_json
