/* Calls what bsgpc compile made. Each call gives a status and, where it fails, a message. */
#include <stdio.h>
#include <stdlib.h>

#include "bsgp/bsgp.h"

bsgp_status total(bsgp_context*, int32_t n, int32_t* result);
void faults_begin(void) __attribute__((weak));

static void must(const char* what, bsgp_status status, int is_wrong) {
  if (!is_wrong)
    return;
  if ((status != BSGP_OUT_OF_MEMORY && status != BSGP_UNAVAILABLE) || !*bsgp_error_message()) {
    printf("%s: status %d, '%s'\n", what, status, bsgp_error_message());
    exit(3);
  }
}

int main(void) {
  int32_t result = 0;
  void* memory = NULL;
  char text[100] = "";
  bsgp_options options = BSGP_OPTIONS_INIT;
  options.threads = 3;
  if (faults_begin)
    faults_begin();
  for (int round = 0; round < 2; ++round) {
    bsgp_context* context = bsgp_context_create(round ? NULL : &options);
    must("create", BSGP_OUT_OF_MEMORY, !context);
    if (!context)
      continue;
    bsgp_status status = bsgp_alloc(context, sizeof text, &memory);
    must("alloc", status, status != BSGP_OK);
    if (status == BSGP_OK) {
      status = bsgp_copy_to_device(context, memory, text, sizeof text);
      must("copy", status, status != BSGP_OK);
    }
    status = total(context, 1000, &result);
    must("total", status, status != BSGP_OK);
    if (status == BSGP_OK && result != 8991)
      return 4;
    must("free", status, bsgp_free(context, memory) != BSGP_OK);
    must("destroy", status, bsgp_context_destroy(context) != BSGP_OK);
    memory = NULL;
  }
  return 0;
}
