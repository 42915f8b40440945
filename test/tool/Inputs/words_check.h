#include <assert.h>
#include <complex.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>

#include "words.h"

int main(void) {
  int32_t sum = 0;
  struct namespace_ it = {40, 2, NULL};
  int bad = class_(NULL, 1, 20, 300, 4000, &sum) != BSGP_OK || sum != 4321;
  bad |= register_(NULL, &it, &sum) != BSGP_OK || sum != 42;
  bad |= offsetof_(NULL, 1, 20, 300, 4000, &sum) != BSGP_OK || sum != 4321;
  printf("%s\n", bad ? "wrong" : "words called");
  return bad;
}
