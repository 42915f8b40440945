// PNG by libpng. It leaves a failed call by longjmp to the setjmp of the function that made it: in those functions no
// object with a destructor begins to live behind the setjmp.
#include <bit>
#include <csetjmp>
#include <cstdio>

#include <png.h>

#include "image/image.h"

namespace bsgp::image {

namespace {

struct Problem {
  char text[200] = "";
};

[[noreturn]] void fails(png_structp png, png_const_charp message) {
  auto* problem = static_cast<Problem*>(png_get_error_ptr(png));
  std::snprintf(problem->text, sizeof problem->text, "%s", message);
  png_longjmp(png, 1);
}

void ignore(png_structp, png_const_charp) {}

void take(png_structp png, png_bytep to, size_t count) {
  auto& rest = *static_cast<std::string_view*>(png_get_io_ptr(png));
  if (count > rest.size())
    png_error(png, kTruncated);
  rest.copy(reinterpret_cast<char*>(to), count);
  rest.remove_prefix(count);
}

void give(png_structp png, png_bytep from, size_t count) {
  bool fits = true; // libpng is C: no exception goes through it
  try {
    static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(from), count);
  } catch (...) {
    fits = false;
  }
  if (!fits)
    png_error(png, kNoMemory);
}

void flush(png_structp) {}

// A deflated stream is at least a 1032th of its contents. A file that claims more is refused before memory is taken
// for it.
bool mayHold(png_structp png, png_infop info, size_t file_bytes) {
  size_t row_bytes = png_get_rowbytes(png, info);
  return row_bytes != 0 && png_get_image_height(png, info) <= uint64_t(file_bytes) * 1032 / row_bytes;
}

// The head. All kinds become gray or colours, perhaps with alpha, of 8 or 16 bits; values are left alone.
bool readHead(png_structp png, png_infop info, std::string_view* file) {
  if (setjmp(png_jmpbuf(png)))
    return false;
  size_t file_bytes = file->size();
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_read_fn(png, file, take);
  png_read_info(png, info);
  if (!mayHold(png, info, file_bytes))
    png_error(png, kTruncated);
  png_set_expand(png);
  if (std::endian::native == std::endian::little)
    png_set_swap(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  return true;
}

bool readRows(png_structp png, png_infop info, png_bytepp rows) {
  if (setjmp(png_jmpbuf(png)))
    return false;
  png_read_image(png, rows);
  png_read_end(png, info);
  return true;
}

void widen(const std::vector<png_byte>& bytes, Pixels& to) {
  bool wide = to.most > 255;
  to.samples.resize(wide ? bytes.size() / 2 : bytes.size());
  const auto* words = reinterpret_cast<const uint16_t*>(bytes.data());
  for (size_t i = 0; i < to.samples.size(); ++i)
    to.samples[i] = wide ? words[i] : bytes[i];
}

std::string read(png_structp png, png_infop info, std::string_view file, uint64_t most_pixels, Problem& problem,
                 Pixels& to) {
  if (!readHead(png, info, &file))
    return problem.text;
  if (std::string large = problemOfSize(png_get_image_width(png, info), png_get_image_height(png, info), most_pixels);
      !large.empty())
    return large;
  to.width = int32_t(png_get_image_width(png, info)), to.height = int32_t(png_get_image_height(png, info));
  to.channels = png_get_channels(png, info);
  to.most = png_get_bit_depth(png, info) == 16 ? 65535 : 255;
  size_t row_bytes = png_get_rowbytes(png, info);
  std::vector<png_byte> bytes(row_bytes * size_t(to.height));
  std::vector<png_bytep> rows;
  for (int32_t y = 0; y < to.height; ++y)
    rows.push_back(bytes.data() + row_bytes * size_t(y));
  if (!readRows(png, info, rows.data()))
    return problem.text;
  widen(bytes, to);
  return {};
}

bool write(png_structp png, png_infop info, const Bytes& image, std::string* to) {
  static constexpr int kKinds[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                   PNG_COLOR_TYPE_RGB_ALPHA};
  if (setjmp(png_jmpbuf(png)))
    return false;
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_write_fn(png, to, give, flush);
  png_set_IHDR(png, info, png_uint_32(image.width), png_uint_32(image.height), 8, kKinds[image.channels - 1],
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  size_t row_bytes = size_t(image.width) * size_t(image.channels);
  for (int32_t y = 0; y < image.height; ++y)
    png_write_row(png, image.samples + row_bytes * size_t(y));
  png_write_end(png, info);
  return true;
}

} // namespace

bool isPng(std::string_view file) {
  constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";
  return file.substr(0, kSignature.size()) == kSignature;
}

std::string readPng(std::string_view file, uint64_t most_pixels, Pixels& to) {
  Problem problem;
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &problem, fails, ignore);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  std::string result = kNoMemory;
  try {
    if (info)
      result = read(png, info, file, most_pixels, problem, to);
  } catch (...) { // of a vector: capi.cpp reports the failure
    png_destroy_read_struct(&png, &info, nullptr);
    throw;
  }
  png_destroy_read_struct(&png, &info, nullptr);
  return result;
}

std::string writePng(const Bytes& image, std::string& to) {
  Problem problem;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &problem, fails, ignore);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  std::string result = !info ? std::string(kNoMemory) : write(png, info, image, &to) ? "" : problem.text;
  png_destroy_write_struct(&png, &info);
  return result;
}

} // namespace bsgp::image
