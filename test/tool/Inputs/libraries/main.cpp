#include <bsgp/bsgp.hpp>
#include <cstdio>
int main() {
  bsgp::Context context({.target = "cpu", .threads = 2});
  bsgp::Program program(
      "#include <image.bsgp>\n"
      "export int channels(int w) { dlist(float3) p; p.resize(w); spawn (w) p[thread.rank] = float3(0);"
      " writeImage(\"row.png\", p, w, 1); return readImage(\"row.png\").channels; }");
  std::printf("%d\n", program.function<int(int)>("channels")(context, 5));
}
