// The functions that <image.bsgp> calls. An image that was read is held here until it is closed: the program asks for
// its size first.
#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <new>

#include "image/image.h"

namespace bsgp::image {

namespace {

thread_local std::string last_error; // lasts until this thread's next call that may fail

bool failed(const char* path, const std::string& why) {
  last_error = why.empty() ? "" : std::string(path) + ": " + why;
  return !why.empty();
}

// A pixel takes 18 bytes in a PPM in decimal numbers, 8 in an incompressible PNG; the rest of a file takes little.
uint64_t mostBytes(uint64_t most_pixels) {
  return std::min<uint64_t>(most_pixels, uint64_t(1) << 56) * 20 + (1 << 26);
}

std::string read(const char* path, uint64_t most_pixels, Pixels& to) {
  std::string file;
  if (std::string problem = readFile(path, mostBytes(most_pixels), file); !problem.empty())
    return problem;
  if (isPng(file))
    return readPng(file, most_pixels, to);
  if (isPnm(file))
    return readPnm(file, most_pixels, to);
  return file.empty() ? "the file is empty" : "the file is no PNG, PGM or PPM";
}

// Runs `work`, which returns an error or ""; missing memory is an error, too.
template <class Work> bool succeeds(const char* path, Work work) {
  try {
    return !failed(path, work());
  } catch (const std::exception&) { // bad_alloc, length_error
    return !failed(path, kNoMemory);
  }
}

// A pixel with `to` channels of one with `from`, v in 0..1: gray is repeated, colours become gray by the weights of
// ITU-R BT.709, alpha is left out or 1.
void convert(const float* v, int from, float* out, int to) {
  bool colour = from >= 3;
  float alpha = from == 2 ? v[1] : from == 4 ? v[3] : 1.0f;
  float gray = colour ? 0.2126f * v[0] + 0.7152f * v[1] + 0.0722f * v[2] : v[0];
  for (int c = 0; c < (to < 3 ? 1 : 3); ++c)
    out[c] = to < 3 ? gray : colour ? v[c] : v[0];
  if (to % 2 == 0)
    out[to - 1] = alpha;
}

// Rounds to the nearest; NaN becomes 0.
uint8_t byteOf(float v) {
  return !(v > 0) ? 0 : v >= 1 ? 255 : uint8_t(v * 255.0f + 0.5f);
}

std::vector<uint8_t> bytesOf(const float* samples, int32_t width, int32_t height, int32_t channels) {
  std::vector<uint8_t> bytes(size_t(width) * size_t(height) * size_t(channels));
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = byteOf(samples[i]);
  return bytes;
}

// Calls `put` with the place of each sample and its value in 0..1.
template <class Put> void each(const Pixels& image, int channels, Put put) {
  size_t pixels = size_t(image.width) * size_t(image.height);
  float scale = float(image.most);
  for (size_t i = 0; i < pixels; ++i) {
    float in[4], out[4];
    for (int c = 0; c < image.channels; ++c)
      in[c] = float(image.samples[i * size_t(image.channels) + size_t(c)]) / scale;
    if (channels != image.channels)
      convert(in, image.channels, out, channels);
    for (int c = 0; c < channels; ++c)
      put(i * size_t(channels) + size_t(c), (channels != image.channels ? out : in)[c]);
  }
}

// The result has small letters.
std::string endingOf(std::string_view path) {
  size_t dot = path.rfind('.');
  std::string ending(dot == std::string_view::npos ? "" : path.substr(dot));
  for (char& c : ending)
    c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return ending;
}

std::string number(int64_t value) {
  return std::to_string(value);
}

// Returns "" or the reason why such an image is not written to such a file.
std::string problemOf(const std::string& ending, int64_t width, int64_t height, int64_t channels) {
  if (ending != ".png" && ending != ".pgm" && ending != ".ppm")
    return "the name of an image ends in .png, .pgm or .ppm";
  if (width <= 0 || height <= 0)
    return "an image of " + number(width) + " x " + number(height) + " has no pixels";
  int wanted = ending == ".pgm" ? 1 : ending == ".ppm" ? 3 : 0;
  if (wanted && channels != wanted)
    return "a " + ending + " file has " + number(wanted) + (wanted == 1 ? " channel" : " channels") + ", not " +
           number(channels);
  if (channels < 1 || channels > 4)
    return "an image has 1 to 4 channels, not " + number(channels);
  return {};
}

std::string write(const char* path, const Bytes& image) {
  std::string file;
  if (endingOf(path) != ".png")
    writePnm(image, file);
  else if (std::string problem = writePng(image, file); !problem.empty())
    return problem;
  return writeFile(path, file);
}

} // namespace
} // namespace bsgp::image

using namespace bsgp::image;

extern "C" {

// Returns the last failure of this thread: "path: why".
const char* bsgp_image_error() {
  return last_error.c_str();
}

// Reports an error that BSGP's side of the library found.
void bsgp_image_fail(const char* path, const char* reason) {
  succeeds(path, [&] { return std::string(reason); });
}

// Returns 0 if no such image can be written there; bsgp_image_error has the reason. It is called before pixels are
// fetched.
int32_t bsgp_image_can_write(const char* path, int32_t width, int32_t height, int32_t channels) {
  return succeeds(path, [&] { return problemOf(endingOf(path), width, height, channels); });
}

// shape: width, height, channels. NULL on an error, also if the image has more pixels than `most`; bsgp_image_error
// has the reason.
void* bsgp_image_read(const char* path, int64_t most, int32_t* shape) {
  auto image = std::make_unique<Pixels>();
  if (!succeeds(path, [&] { return read(path, uint64_t(std::max<int64_t>(most, 0)), *image); }))
    return nullptr;
  shape[0] = image->width, shape[1] = image->height, shape[2] = image->channels;
  return image.release();
}

// Stores `channels` samples, 1 to 4, for each of width * height pixels.
void bsgp_image_floats(const void* image, int32_t channels, float* to) {
  each(*static_cast<const Pixels*>(image), channels, [&](size_t at, float value) { to[at] = value; });
}
void bsgp_image_bytes(const void* image, int32_t channels, uint8_t* to) {
  each(*static_cast<const Pixels*>(image), channels, [&](size_t at, float value) { to[at] = byteOf(value); });
}

void bsgp_image_close(void* image) {
  delete static_cast<Pixels*>(image);
}

// bsgp_image_can_write must have allowed it. 0 on an error; bsgp_image_error has the reason.
int32_t bsgp_image_write_bytes(const char* path, const uint8_t* samples, int32_t width, int32_t height,
                               int32_t channels) {
  return succeeds(path, [&] { return write(path, {width, height, channels, samples}); });
}
int32_t bsgp_image_write_floats(const char* path, const float* samples, int32_t width, int32_t height,
                                int32_t channels) {
  return succeeds(path, [&] {
    std::vector<uint8_t> bytes = bytesOf(samples, width, height, channels);
    return write(path, {width, height, channels, bytes.data()});
  });
}

// Each picture is shown for so long. NULL: there is no memory.
void* bsgp_image_animation(double seconds) {
  return new (std::nothrow) Animation(uint16_t(std::lround(std::fmin(std::fmax(seconds * 1000, 0), 65535))));
}

// bsgp_image_can_write must have allowed it for the path "animation.png". 0 on an error; bsgp_image_error has the
// reason.
int32_t bsgp_image_add_bytes(void* animation, const uint8_t* samples, int32_t width, int32_t height, int32_t channels) {
  return succeeds("animation.png",
                  [&] { return static_cast<Animation*>(animation)->add({width, height, channels, samples}); });
}
int32_t bsgp_image_add_floats(void* animation, const float* samples, int32_t width, int32_t height, int32_t channels) {
  return succeeds("animation.png", [&] {
    std::vector<uint8_t> bytes = bytesOf(samples, width, height, channels);
    return static_cast<Animation*>(animation)->add({width, height, channels, bytes.data()});
  });
}

// It frees the animation, written or not; NULL is one without pictures.
int32_t bsgp_image_write_animation(const char* path, void* animation) {
  std::unique_ptr<Animation> made(static_cast<Animation*>(animation));
  return succeeds(path, [&]() -> std::string {
    if (endingOf(path) != ".png")
      return "the name of an animation ends in .png";
    return !made || made->isEmpty() ? "the animation has no pictures" : writeFile(path, made->file());
  });
}
}
