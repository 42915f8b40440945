// PGM and PPM: P2, P3 (numbers as text), P5, P6 (one byte, or two if the largest sample is above 255, high one first).
#include "image/image.h"

namespace bsgp::image {

namespace {

bool isSpace(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

class Reader {
public:
  explicit Reader(std::string_view text) : rest_(text) {}

  // A number behind spaces and comments; "" or what is wrong.
  std::string number(uint32_t& value) {
    skipSpaces();
    if (rest_.empty())
      return kTruncated;
    uint64_t sum = 0;
    size_t digits = 0;
    for (; digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits)
      if ((sum = sum * 10 + uint64_t(rest_[digits] - '0')) > INT32_MAX)
        return "a number in it is too large";
    if (digits == 0)
      return "there is something else where a number belongs";
    value = uint32_t(sum);
    rest_.remove_prefix(digits);
    return {};
  }

  // One space: the rest is binary.
  bool space() {
    bool there = !rest_.empty() && isSpace(rest_[0]);
    rest_.remove_prefix(there);
    return there;
  }
  std::string_view rest() const { return rest_; }

private:
  void skipSpaces() {
    while (!rest_.empty() && (isSpace(rest_[0]) || rest_[0] == '#')) {
      size_t line = rest_[0] == '#' ? rest_.find('\n') : 0;
      rest_.remove_prefix(line == std::string_view::npos ? rest_.size() : line + 1);
    }
  }

  std::string_view rest_;
};

std::string readHead(Reader& from, uint64_t most_pixels, Pixels& to) {
  uint32_t width = 0, height = 0;
  for (uint32_t* number : {&width, &height, &to.most})
    if (std::string problem = from.number(*number); !problem.empty())
      return problem;
  if (width == 0 || height == 0)
    return "it has no pixels: " + std::to_string(width) + " x " + std::to_string(height);
  if (to.most == 0 || to.most > 65535)
    return "its largest sample is " + std::to_string(to.most) + ", not 1 to 65535";
  to.width = int32_t(width), to.height = int32_t(height);
  return problemOfSize(width, height, most_pixels);
}

std::string readText(Reader& from, Pixels& to) {
  for (uint16_t& sample : to.samples) {
    uint32_t value = 0;
    if (std::string problem = from.number(value); !problem.empty())
      return problem;
    if (value > to.most)
      return "a sample is above the largest one";
    sample = uint16_t(value);
  }
  return {};
}

std::string readBinary(std::string_view bytes, Pixels& to) {
  bool wide = to.most > 255;
  for (size_t i = 0; i < to.samples.size(); ++i) {
    auto byte = [&](size_t at) { return uint16_t(uint8_t(bytes[at])); };
    to.samples[i] = wide ? uint16_t(byte(2 * i) << 8 | byte(2 * i + 1)) : byte(i);
    if (to.samples[i] > to.most)
      return "a sample is above the largest one";
  }
  return {};
}

} // namespace

bool isPnm(std::string_view file) {
  if (file.size() < 2 || file[0] != 'P' || std::string_view("2356").find(file[1]) == std::string_view::npos)
    return false;
  return file.size() == 2 || isSpace(file[2]) || file[2] == '#';
}

std::string readPnm(std::string_view file, uint64_t most_pixels, Pixels& to) {
  bool binary = file[1] >= '5';
  to.channels = file[1] == '3' || file[1] == '6' ? 3 : 1;
  Reader from(file.substr(2));
  if (std::string problem = readHead(from, most_pixels, to); !problem.empty())
    return problem;
  if (!from.space())
    return from.rest().empty() ? kTruncated : "there is no space behind its head";
  uint64_t pixels = uint64_t(to.width) * uint64_t(to.height); // below 2^62, times 3 below 2^64
  uint64_t samples = pixels * uint64_t(to.channels);
  // Before memory is taken for a size that the file only claims: a sample in text is a digit and, but for the last, a
  // space.
  uint64_t bytes = binary ? from.rest().size() / (to.most > 255 ? 2 : 1) : (from.rest().size() + 1) / 2;
  if (samples > bytes)
    return kTruncated;
  to.samples.resize(samples);
  return binary ? readBinary(from.rest(), to) : readText(from, to);
}

void writePnm(const Bytes& image, std::string& to) {
  to = std::string(image.channels == 3 ? "P6" : "P5") + "\n" + std::to_string(image.width) + " " +
       std::to_string(image.height) + "\n255\n";
  size_t count = size_t(image.width) * size_t(image.height) * size_t(image.channels);
  to.append(reinterpret_cast<const char*>(image.samples), count);
}

} // namespace bsgp::image
