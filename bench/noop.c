/* The smallest program: shows what a spawn costs by itself. Linked statically. */
int main(void) {
  return 0;
}
