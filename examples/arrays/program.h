// The programs of this folder share what is no array operation: their arguments, timing, results in files.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <bsgp/arrays.hpp>

// libbsgp_image: an array of floats in 0..1 with `channels` in each pixel; 0 on an error.
extern "C" int32_t bsgp_image_write_floats(const char* path, const float* samples, int32_t width, int32_t height,
                                           int32_t channels);
extern "C" const char* bsgp_image_error();

using namespace bsgp::arrays;
using Arrays = std::vector<Array>;

class Program {
public:
  // `size` is that of the paper; `draws`: the program has a picture.
  Program(int argc, char** argv, int64_t size, bool draws = true) : size(size) {
    for (int i = 1; i < argc; i += 2) {
      std::string option = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
      if (option == "--explain")
        explains_ = true, --i;
      else if (option == "--size" && number(value) >= 32)
        this->size = number(value);
      else if (option == "--times" && number(value) >= 1)
        times_ = number(value);
      else if (option == "--raw" && !value.empty())
        raw_ = value;
      else if (option == "--picture" && draws && value.ends_with(".png"))
        picture_ = value;
      else
        refuse(argv[0], option + " " + value);
    }
  }

  // Evaluates the arrays that `make` makes, with --times so many times; prints the median of the times;
  // with --explain, the passes over memory.
  template <class Make> Arrays run(Make make) const {
    std::vector<double> times;
    Arrays made;
    for (int i = 0; i < times_; ++i) {
      auto begin = std::chrono::steady_clock::now();
      made = make();
      eval(made);
      times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    std::sort(times.begin(), times.end());
    if (times_ > 1)
      std::printf("%.2f ms\n", times[times.size() / 2]);
    if (explains_)
      std::printf("%s", explain(make()).text.c_str());
    return made;
  }

  // With --raw: the elements as they are, one array after the other.
  void writeRaw(const Arrays& results) const {
    if (raw_.empty())
      return;
    std::ofstream file(raw_, std::ios::binary);
    for (const Array& result : results) {
      const void* data = nullptr;
      bsgp::check(bsgp_array_data(result.get(), &data));
      file.write(static_cast<const char*>(data), result.size() * int64_t(bsgp_dtype_bytes(result.dtype())));
    }
    if (!file.flush())
      throw std::runtime_error("cannot write " + raw_);
  }

  // With --picture: rows, columns and, if there are three axes, channels.
  void writePicture(const Array& picture) const {
    Shape shape = picture.shape();
    int32_t channels = shape.size() > 2 ? int32_t(shape[2]) : 1;
    if (!picture_.empty() && !bsgp_image_write_floats(picture_.c_str(), picture.to<float>().data(), int32_t(shape[1]),
                                                      int32_t(shape[0]), channels))
      throw std::runtime_error(bsgp_image_error());
  }

  int64_t size;

private:
  static int number(const std::string& text) { return std::atoi(text.c_str()); }

  [[noreturn]] static void refuse(const char* name, const std::string& argument) {
    std::fprintf(
        stderr,
        "%s: does not know '%s'\nusage: %s [--size N] [--times N] [--explain] [--raw FILE] [--picture FILE.png]\n",
        name, argument.c_str(), name);
    std::exit(1);
  }

  int times_ = 1;
  bool explains_ = false;
  std::string raw_, picture_;
};

// Runs `body`; errors end the program with a message.
template <class Body> int guarded(Body body) {
  try {
    body();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
