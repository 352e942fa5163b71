// Each rank sends the next one its number; then they add up the numbers. With an argument, rank 1
// aborts.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#ifdef MPICH
// MPI_Finalize of MPICH 4 over UCX's TCP hangs every other time, with any launcher: one rank waits
// here for the progress of others, which wait at PMI's barrier. Nothing is left to flush here.
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
