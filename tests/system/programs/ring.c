// Each rank tells the next one its number; then all add up. With an argument, rank 1 gives up.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

// MPICH's end over UCX sometimes waits for a rank that waits for PMI, whoever started them.
static void leave(int number) {
  _exit(number == SIGALRM ? 0 : 1);
}

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
#ifdef MPICH
  signal(SIGALRM, leave);
  alarm(2);
#else
  (void)leave;
#endif
  MPI_Finalize();
  return 0;
}
