// Images in files: PNG by libpng, also animated; PGM and PPM, as Netpbm's pages "pgm" and "ppm" describe them.
//
// The folder `image` is a library of its own, libbsgp_image: capi.cpp has the functions that <image.bsgp> declares
// `extern`. It takes the path of a file, or pixels; gives pixels, or a file. It knows nothing of the rest of BSGP.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bsgp::image {

// Row by row from the top, the channels of a pixel beside each other: gray; gray, alpha; red, green, blue; those and
// alpha. A sample is from 0 to `most`, 65535 at most.
struct Pixels {
  int32_t width = 0, height = 0, channels = 0;
  uint32_t most = 255;
  std::vector<uint16_t> samples;
};

// An image with samples of 8 bits.
struct Bytes {
  int32_t width, height, channels;
  const uint8_t* samples;
};

// They return "" or the error; after an error the result is in any state. Files are regular ones of `most` bytes or
// fewer.
std::string readFile(const char* path, uint64_t most, std::string& bytes);
std::string writeFile(const char* path, std::string_view bytes);

bool isPng(std::string_view file);
std::string readPng(std::string_view file, uint64_t most_pixels, Pixels& to);
std::string writePng(const Bytes& image, std::string& to);

bool isPnm(std::string_view file); // P2, P3, P5, P6
std::string readPnm(std::string_view file, uint64_t most_pixels, Pixels& to);
void writePnm(const Bytes& image, std::string& to); // of 1 or 3 channels

// Pictures of one size and kind, shown one behind the other, each for so long, again and again.
class Animation {
public:
  explicit Animation(uint16_t milliseconds) : milliseconds_(milliseconds) {}
  std::string add(const Bytes& image); // returns "" or the error; then nothing is added
  bool isEmpty() const { return frames_ == 0; }
  std::string file() const; // of one picture or more

private:
  std::string head_, chunks_;
  int32_t width_ = 0, height_ = 0, channels_ = 0;
  uint32_t frames_ = 0, sequence_ = 0;
  uint16_t milliseconds_;
};

// Returns "" or the error. It is called before memory is taken for the pixels.
inline std::string problemOfSize(uint64_t width, uint64_t height, uint64_t most_pixels) {
  if (height == 0 || width <= most_pixels / height)
    return {};
  return std::to_string(width) + " x " + std::to_string(height) + " pixels are more than the " +
         std::to_string(most_pixels) + " that may be read";
}

inline constexpr char kTruncated[] = "the file is truncated";
inline constexpr char kNoMemory[] = "there is not enough memory";

} // namespace bsgp::image
