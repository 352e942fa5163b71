// scontrol show ... --json: documents in the shape of Slurm 23.11's data parser v0.0.40, with the
// values that Coxswain has. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "client/setup/ping.h"
#include "client/slurm/control/config_record.h"
#include "client/slurm/control/records.h"
#include "client/slurm/text/field_format.h"
#include "common/messages/messages.h"

namespace cox {

using CommandWords = std::vector<std::string>;  // the words after "scontrol", for Slurm's metadata

// Return a document with the records whose names are in `wanted`; if `wanted` is empty, with all.
std::string json_of_nodes(const NodeList& list, const std::vector<std::string>& wanted,
                          const FieldView& view, const CommandWords& command);
std::string json_of_partitions(const NodeList& list, const std::vector<std::string>& wanted,
                               const FieldView& view, const CommandWords& command);
std::string json_of_reservations(const ReservationList& list, const NodeList& nodes,
                                 const std::vector<std::string>& wanted, const FieldView& view,
                                 const CommandWords& command);
std::string json_of_licences(const LicenceList& list, const std::vector<std::string>& wanted,
                             const FieldView& view, const CommandWords& command);
std::string json_of_steps(const std::vector<StepFacts>& steps, const FieldView& view,
                          const CommandWords& command);
std::string json_of_config(const std::vector<std::pair<std::string, std::string>>& values,
                           const FieldView& view, const CommandWords& command);

// Returns a document about the controllers and whether each has answered a ping. Leaves out Slurm's
// latency, which is not measured.
std::string json_of_pings(const std::vector<std::string>& hosts, const std::vector<Ping>& pings,
                          Wall now);

}  // namespace cox
