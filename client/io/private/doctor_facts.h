// Collects the facts of `cox doctor` about this host: files, sockets, cgroups and, through
// cox-controller, the database. Changes nothing. Only for doctor.cpp.
#pragma once

#include <optional>
#include <vector>

#include "client/setup/host_facts.h"
#include "common/io/config/config_file.h"

namespace cox {

bool has_table(const ConfigReport& report, const std::string& table);

// REQUIRES for all functions below: the configuration has no problem.
void look_at_database(const Config& config, HostFacts& facts);
std::vector<KeyFacts> look_at_keys(const Config& config, const ConfigReport& report);
// Tries a handshake with each TCP endpoint of a controller. `table`: "[client]" or "[worker]", the
// table of the configuration that names the endpoints and the key.
std::vector<HandshakeFacts> try_handshakes(const Config& config, const std::string& table);
std::optional<GpuFacts> look_at_gpus(const WorkerConfig& config);
MailFacts look_at_mail(const ControllerConfig& config);
std::vector<FolderFacts> look_at_folders(const Config& config, const ConfigReport& report);
CgroupFacts look_at_cgroups();
std::vector<ListenFacts> look_at_listening(const ControllerConfig& config);

}  // namespace cox
