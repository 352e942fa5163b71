#include "controller/io/postgres/orderly_stop.h"

#include "controller/io/postgres/pg_session.h"

namespace cox {

bool note_orderly_stop(PgServers& servers, const LastKnownState& known) {
  PgSession session(servers);
  session.ask("schema_patience", {"1s"});
  const PgRows noted = session.ask(
      "schema_orderly_stop", {std::to_string(known.term.value), std::to_string(known.turn.value),
                              std::to_string(known.next_job.value)});
  return !session.failure() && noted.size() == 1;
}

}  // namespace cox
