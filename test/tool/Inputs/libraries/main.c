#include <stdio.h>
#ifdef PICTURE
#include "picture.h"
#define FUNCTION corner
#else
#include "half.h"
#define FUNCTION quarter
#endif
int main(void) {
  int32_t result = 0;
  bsgp_context* context = bsgp_context_create(NULL);
  if (FUNCTION(context, 42, &result))
    return 1;
  printf("%d\n", result);
  bsgp_context_destroy(context);
  return 0;
}
