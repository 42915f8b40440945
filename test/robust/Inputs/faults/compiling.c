/* Compiles in the process: a status, or the sentence of the process's end. */
#include <stdio.h>

#include "bsgp/bsgp.h"

void faults_begin(void) __attribute__((weak));

int main(void) {
  bsgp_program* program = NULL;
  if (faults_begin)
    faults_begin();
  bsgp_status status = bsgp_compile("export int twice(int* p, int n) {\n"
                                    "  spawn (n) { p[thread.rank] *= 2; }\n"
                                    "  return reduce(+, p, n);\n"
                                    "}\n",
                                    NULL, &program);
  if (status != BSGP_OK && (program || !*bsgp_error_message()))
    return 3;
  if (status != BSGP_OK)
    fprintf(stderr, "error: %s\n", bsgp_error_message());
  return bsgp_program_destroy(program) == BSGP_OK && status == BSGP_OK ? 0 : 1;
}
