#include "module.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace bsgp::emulator {

Module::Module(std::string_view text, unsigned sm, DeviceMemory& memory)
    : text_(text), ptx_(parsePtx(text_)), memory_(memory) {
  if (ptx_.sm > sm)
    throw PtxError{1, "the .target sm_" + std::to_string(ptx_.sm) + " is higher than the device's sm_" +
                          std::to_string(sm)};
  try {
    for (const Variable& variable : ptx_.variables)
      if (variable.space != Space::shared)
        allocate(variable);
    for (const Variable& variable : ptx_.variables)
      if (variable.space != Space::shared)
        initialize(variable);
    for (const Function& function : ptx_.functions)
      if (function.is_entry && function.defined)
        kernels_[function.name] = std::make_unique<Kernel>(Lowering(ptx_, addresses_).lower(function));
  } catch (...) {
    release();
    throw;
  }
}

Module::~Module() {
  release();
}

void Module::release() {
  for (auto& [name, address] : addresses_)
    memory_.release(address);
}

Kernel* Module::find(std::string_view name) const {
  auto found = kernels_.find(name);
  return found == kernels_.end() ? nullptr : found->second.get();
}

void Module::allocate(const Variable& variable) {
  if (variable.is_extern)
    throw PtxError{variable.line, "there is no definition of " + std::string(variable.name)};
  uint64_t address = memory_.allocate(std::max<uint64_t>(variable.bytes(), 1), true);
  if (!address)
    throw std::bad_alloc();
  addresses_[variable.name] = address;
}

uint64_t Module::valueOf(const Variable& variable, const Initializer& value) const {
  if (value.symbol.empty())
    return value.value;
  auto found = addresses_.find(value.symbol);
  if (found == addresses_.end()) {
    bool function = std::any_of(ptx_.functions.begin(), ptx_.functions.end(),
                                [&](const Function& f) { return f.name == value.symbol; });
    if (function) // may be compared, not called
      return reinterpret_cast<uint64_t>(value.symbol.data());
    throw PtxError{variable.line, "unknown name in an initialiser: " + std::string(value.symbol)};
  }
  uint64_t address = found->second + value.value;
  return value.mask ? address >> (value.mask - 1) & 0xff : address;
}

void Module::initialize(const Variable& variable) {
  char* place = memory_.findRange(addresses_[variable.name], variable.bytes());
  for (const Initializer& value : variable.values) {
    uint64_t bits = valueOf(variable, value);
    std::memcpy(place, &bits, bytesOf(variable.type));
    place += bytesOf(variable.type);
  }
}

} // namespace bsgp::emulator
