// Writes and reads rows of cox.partition.
#include "controller/io/records/pg_records.h"

namespace cox {
namespace {

template <class Row, class Visit>
void partition_columns(Row& p, Visit& v) {
  v("name", p.name);
  v("state", p.state);
  v("reason", p.reason);
  v("changed_at", p.changed);
  v("made_with", p.made_with);
}

}  // namespace

void add_partition(RowBatch& batch, const Partition& partition) {
  partition_columns(partition, batch);
  batch.end_row();
}

std::vector<Partition> partitions_from(const PgRows& rows) {
  std::vector<Partition> partitions;
  RowReader reader(rows);
  while (reader.next()) partition_columns(partitions.emplace_back(), reader);
  return partitions;
}

}  // namespace cox
