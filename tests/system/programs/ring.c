// Each rank tells the next one its number; then all add up. With an argument, rank 1 gives up.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#ifdef MPICH
// MPI_Finalize of MPICH 4 over UCX's TCP hangs each other time, whoever starts the ranks: one waits
// here for the progress of others, who wait at PMI's barrier. There is nothing left to flush.
void* ucp_disconnect_nb(void* endpoint) {
  (void)endpoint;
  return NULL;
}
#endif

int main(int argc, char** argv) {
  int rank, size, before, sum;
  char host[65] = "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &before, 1, MPI_INT,
               (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Allreduce(&before, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  gethostname(host, sizeof host - 1);
  printf("rank %d of %d on %s: %d before it, the sum is %d\n", rank, size, host, before, sum);
  fflush(stdout);
  if (argc > 1 && rank == 1) MPI_Abort(MPI_COMM_WORLD, 9);
  MPI_Finalize();
  return 0;
}
