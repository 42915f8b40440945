/* Calls every function of signatures.bsgp and more_signatures.bsgp, from C and from C++. */
#include "more_signatures.h"
#include "signatures.h"

#include <stdio.h>
#include <string.h>

#define EXPECT(condition)                                                                                              \
  if (!(condition)) {                                                                                                  \
    printf("line %d: %s (%s)\n", __LINE__, #condition, bsgp_error_message());                                          \
    return 1;                                                                                                          \
  }

static int callAll(bsgp_context* context) {
  int32_t sum = 0;
  EXPECT(scalars(context, true, -2, 200, -300, 60000, -5, 6u, -7, 8u, 9.5f, 10.5, &sum) == BSGP_OK);
  EXPECT(sum == 1 - 2 + 200 - 300 + 60000 - 5 + 6 - 7 + 8 + 9 + 10);
  bool flag = true;
  EXPECT(negated(context, false, &flag) == BSGP_OK && flag);
  EXPECT(negated(context, true, &flag) == BSGP_OK && !flag);
  uint8_t byte = 0;
  EXPECT(wrapped(context, 255, &byte) == BSGP_OK && byte == 0);
  int64_t big = 0;
  EXPECT(longest(context, UINT64_C(1) << 63, &big) == BSGP_OK && big == INT64_MAX);
  double half = 0;
  EXPECT(halved(context, 5, &half) == BSGP_OK && half == 2.5);

  bsgp_float2 a = {1, 2}, out;
  bsgp_int4 b = {0, 0, 0, 40};
  bsgp_double3 c = {0, 0, 500};
  EXPECT(vectors(context, &a, &b, &c, &out) == BSGP_OK && out.x == 41 && out.y == 502);
  EXPECT(swapped(context, &out, &out) == BSGP_OK && out.x == 502 && out.y == 41);

  Shape shape, bigger;
  memset(&shape, 0, sizeof shape);
  shape.box.high.x = 3;
  shape.tag[2] = 'z';
  shape.area = 1.25;
  EXPECT(grown(context, &shape, 2, &bigger) == BSGP_OK);
  EXPECT(shape.box.high.x == 3 && shape.tag[1] == 0);
  EXPECT(bigger.box.high.x == 5 && bigger.tag[1] == 'x' && bigger.tag[2] == 'z' && bigger.area == 1.25);
  float wide = 0;
  EXPECT(width(context, &bigger, &wide) == BSGP_OK && wide == 5);

  Pair_int p = {1, 2}, t;
  EXPECT(turned(context, &p, &t) == BSGP_OK && t.a == 2 && t.b == 1);
  Pair_Pair_int pp = {{1, 2}, {3, 4}};
  Pair_float2 floats = {{1, 2}, {3, 4}};
  EXPECT(nested(context, &pp, &floats, &sum) == BSGP_OK && sum == 11);
  Pair_char_ letters = {1, 2};
  Pair_char plain = {40};
  EXPECT(clash(context, &letters, &plain, &sum) == BSGP_OK && sum == 43);
  Row_float_3 three = {{1, 2, 3}, NULL};
  Pair_ptr_const_float pointers = {NULL, NULL};
  float of_row = 0;
  EXPECT(row(context, &three, &pointers, &of_row) == BSGP_OK && of_row == 4);

  bsgp_array2_float grid;
  EXPECT(plate(context, 3, 5, &grid) == BSGP_OK && grid.height == 3 && grid.width == 5);
  float of_plate[15];
  EXPECT(bsgp_copy_to_host(context, of_plate, grid.data, sizeof of_plate) == BSGP_OK && of_plate[14] == 24);
  bsgp_array2_const_float seen = {grid.data, grid.height, grid.width};
  int16_t shorts[4] = {0, 0, 0, 7};
  bsgp_host_array2_short rows = {shorts, 2, 2};
  Plates plates;
  memset(&plates, 0, sizeof plates);
  EXPECT(counted(context, &seen, &plates, &rows, &big) == BSGP_OK && big == 15 + 30 + 7);
  EXPECT(plates.of_planes[1].depth == 2 && plates.of_planes[1].height == 3 && plates.of_planes[1].width == 5);
  EXPECT(bsgp_free(context, grid.data) == BSGP_OK);

  int32_t n = 4;
  bsgp_float3 v = {1, 2, 3};
  EXPECT(references(context, &n, &shape, &v, &flag) == BSGP_OK);
  EXPECT(n == 5 && shape.id == 77 && v.x == 1 && v.z == 7 && flag);

  Node node;
  memset(&node, 0, sizeof node);
  node.id = 12;
  EXPECT(linked(context, &node, &n) == BSGP_OK && n == 12);
  EXPECT(length(context, "four", &n) == BSGP_OK && n == 4);
  EXPECT(nothing(context) == BSGP_OK);

  float host[1000];
  for (int i = 0; i < 1000; ++i)
    host[i] = (float)i;
  void* device = NULL;
  EXPECT(bsgp_alloc(context, sizeof host, &device) == BSGP_OK);
  EXPECT(bsgp_copy_to_device(context, device, host, sizeof host) == BSGP_OK);
  EXPECT(scale(context, (float*)device, 1000, 3) == BSGP_OK);
  EXPECT(bsgp_copy_to_host(context, host, device, sizeof host) == BSGP_OK);
  for (int i = 0; i < 1000; ++i)
    EXPECT(host[i] == 3 * (float)i);
  EXPECT(bsgp_free(context, device) == BSGP_OK);

  int32_t* made = NULL;
  int32_t numbers[100];
  EXPECT(numbered(context, 100, &made) == BSGP_OK && made);
  EXPECT(bsgp_copy_to_host(context, numbers, made, sizeof numbers) == BSGP_OK);
  EXPECT(numbers[0] == 0 && numbers[99] == 99);
  EXPECT(bsgp_free(context, made) == BSGP_OK);
  bsgp_memory_info memory;
  bsgp_memory(context, &memory);
  EXPECT(memory.live_bytes == 0 && memory.live_blocks == 0);
  return 0;
}

int main(void) {
  EXPECT(callAll(NULL) == 0);
  bsgp_options options = BSGP_OPTIONS_INIT;
  options.threads = 2;
  bsgp_context* context = bsgp_context_create(&options);
  EXPECT(context);
  EXPECT(callAll(context) == 0);
  bsgp_context_destroy(context);
  printf("all called\n");
  return 0;
}
