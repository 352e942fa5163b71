// Writes and reads rows of cox.reservation, and writes its events.
#include "common/base/fields.h"
#include "controller/io/records/pg_records.h"

namespace cox {
namespace {

// A column has the name of its field, unless SQL has another use for that name.
constexpr std::string_view reservation_column(std::string_view field) {
  if (field == "begin") return "begin_at";
  if (field == "end") return "end_at";
  if (field == "changed") return "changed_at";
  return field;
}

}  // namespace

void add_reservation(RowBatch& batch, const AdvanceReservation& reservation) {
  each_field<reservation_column>(reservation, batch);
  batch.end_row();
}

void add_reservation_event(RowBatch& batch, const std::string& name, Wall at,
                           const std::string& what, const std::string& actor) {
  batch.generated("sequence");
  batch("reservation", name);
  batch("at", at);
  batch("what", what);
  batch("actor", actor);
  batch.end_row();
}

std::vector<AdvanceReservation> reservations_from(const PgRows& rows) {
  std::vector<AdvanceReservation> reservations;
  RowReader reader(rows);
  while (reader.next()) each_field<reservation_column>(reservations.emplace_back(), reader);
  return reservations;
}

}  // namespace cox
