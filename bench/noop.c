/* The least a process can be: what a spawn costs without the program. Linked statically. */
int main(void) {
  return 0;
}
