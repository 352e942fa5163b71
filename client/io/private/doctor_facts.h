// What `cox doctor` looks at on this host, besides the controller: files, sockets, cgroups and,
// through cox-controller, the database. Nothing is changed. For doctor.cpp alone.
#pragma once

#include <optional>
#include <vector>

#include "client/setup/host_facts.h"
#include "common/io/config/config_file.h"

namespace cox {

bool has_table(const ConfigReport& report, const std::string& table);

// REQUIRES (all): the configuration has no problem.
void look_at_database(const Config& config, HostFacts& facts);
std::vector<KeyFacts> look_at_keys(const Config& config, const ConfigReport& report);
// Makes connections to the controllers that this table names by tcp.
std::vector<HandshakeFacts> try_handshakes(const Config& config, const std::string& table);
std::optional<GpuFacts> look_at_gpus(const WorkerConfig& config);
MailFacts look_at_mail(const ControllerConfig& config);
std::vector<FolderFacts> look_at_folders(const Config& config, const ConfigReport& report);
CgroupFacts look_at_cgroups();
std::vector<ListenFacts> look_at_listening(const ControllerConfig& config);

}  // namespace cox
