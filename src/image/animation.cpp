// Animated PNG: the chunks acTL, fcTL and fdAT of the PNG specification, third edition (W3C, 2025), around what libpng has
// compressed. Who does not know them sees the first frame.
#include <zlib.h>

#include "image/image.h"

namespace bsgp::image {

namespace {

constexpr size_t kSignature = 8, kFrame = 12; // bytes: of a file's begin; of a chunk beside its data

std::string big(uint32_t value) {
  return {char(value >> 24), char(value >> 16), char(value >> 8), char(value)};
}

uint32_t numberAt(std::string_view bytes) {
  auto byte = [&](size_t i) { return uint32_t(uint8_t(bytes[i])); };
  return byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3);
}

void addChunk(std::string& to, std::string_view kind, std::string_view data) {
  size_t begin = to.size() + 4;
  to.append(big(uint32_t(data.size()))).append(kind).append(data);
  auto* bytes = reinterpret_cast<const Bytef*>(to.data() + begin);
  to.append(big(uint32_t(crc32(0, bytes, uInt(to.size() - begin)))));
}

// Calls take(kind, data) for each chunk of a whole PNG.
template <class Take> void eachChunk(std::string_view png, Take take) {
  for (png.remove_prefix(kSignature); png.size() >= kFrame; png.remove_prefix(kFrame + numberAt(png)))
    take(png.substr(4, 4), png.substr(8, numberAt(png)));
}

} // namespace

std::string Animation::add(const Bytes& image) {
  if (frames_ && (image.width != width_ || image.height != height_ || image.channels != channels_))
    return "the pictures of an animation are of one size and kind";
  std::string png;
  if (std::string problem = writePng(image, png); !problem.empty())
    return problem;
  width_ = image.width, height_ = image.height, channels_ = image.channels;
  std::string place = big(uint32_t(width_)) + big(uint32_t(height_)) + big(0) + big(0);
  std::string delay{char(milliseconds_ >> 8), char(milliseconds_), char(1000 >> 8), char(1000 & 255)};
  addChunk(chunks_, "fcTL", big(sequence_++) + place + delay + std::string(2, '\0'));
  eachChunk(png, [&](std::string_view kind, std::string_view data) {
    if (kind == "IHDR" && !frames_)
      head_ = data;
    else if (kind == "IDAT" && !frames_)
      addChunk(chunks_, kind, data);
    else if (kind == "IDAT")
      addChunk(chunks_, "fdAT", big(sequence_++).append(data));
  });
  ++frames_;
  return {};
}

std::string Animation::file() const {
  std::string file = "\x89PNG\r\n\x1a\n";
  addChunk(file, "IHDR", head_);
  addChunk(file, "acTL", big(frames_) + big(0)); // for ever
  file += chunks_;
  addChunk(file, "IEND", "");
  return file;
}

} // namespace bsgp::image
