// Loads and stores.
#include "access.h"
#include "memory.h"

#include <cstdio>
#include <cstring>
#include <type_traits>

namespace bsgp::emulator {

char* findNothing(Warp& w, const Op& op, unsigned lane, uint64_t address, unsigned bytes, bool write) {
  if (!w.block().launch().trace || address % bytes != 0)
    faultAddress(w, op, lane, address, bytes, write);
  alignas(16) static thread_local char nothing[16];
  std::memset(nothing, 0, sizeof nothing);
  return nothing;
}

void faultAddress(Warp& w, const Op& op, unsigned lane, uint64_t address, unsigned bytes, bool write) {
  char text[160];
  bool misaligned = address % bytes != 0;
  std::snprintf(text, sizeof text, "a thread %s %u bytes at 0x%llx, which %s", write ? "writes" : "reads", bytes,
                static_cast<unsigned long long>(address),
                misaligned ? "is not aligned to that" : "it has not or which is not allocated");
  w.fault(op, lane, misaligned ? kMisalignedAddress : kIllegalAddress, text);
}

char* findInWindows(Warp& w, unsigned lane, uint64_t address, unsigned bytes, bool write) {
  if (address - kSharedBase < kWindow)
    return findShared(w, address - kSharedBase, bytes);
  if (address - kLocalBase < kWindow)
    return findLocal(w, lane, address - kLocalBase, bytes);
  uint64_t offset = address - kParamBase;
  const auto& parameters = w.block().launch().parameters;
  if (offset < kWindow)
    return !write && offset + bytes <= parameters.size() ? const_cast<char*>(parameters.data()) + offset : nullptr;
  offset = address - kSlotBase;
  uint32_t size = w.block().kernel().slot_bytes;
  return offset < kWindow && offset + bytes <= size ? w.slots() + uint64_t(size) * lane + offset : nullptr;
}

namespace {

void noteLoad(Warp& w, const Op& op, Space space, unsigned bytes) {
  const Launch& launch = w.block().launch();
  bool ordered = op.o[5];
  if (launch.trace)
    launch.trace->access(w, op, space, op.o[0], bytes, ordered ? 'l' : 'r');
  if (launch.races && !ordered)
    launch.races->note(w, op, space, bytes, false);
}

void noteStore(Warp& w, const Op& op, Space space, unsigned bytes) {
  const Launch& launch = w.block().launch();
  bool ordered = op.o[5];
  if (launch.trace)
    launch.trace->access(w, op, space, op.o[0], bytes, ordered ? 's' : 'w');
  if (launch.races && ordered)
    launch.races->stores(w, op, space);
  else if (launch.races)
    launch.races->note(w, op, space, bytes, true);
}

// Loads that are: the addresses may be gone when they are made.
class OrderedLoad {
public:
  OrderedLoad(Warp& w, const Op& op, Space space) : w_(w), op_(op), space_(space) {
    if (w.block().launch().races && op.o[5]) [[unlikely]]
      std::memcpy(addresses_, w.at<uint64_t>(op.o[0]), sizeof addresses_);
  }
  ~OrderedLoad() {
    if (Races* races = w_.block().launch().races; races && op_.o[5]) [[unlikely]]
      races->loaded(w_, op_, space_, addresses_);
  }

private:
  Warp& w_;
  const Op& op_;
  Space space_;
  uint64_t addresses_[32];
};

template <Space space, class Memory, class Reg> void load(Warp& w, const Op& op) {
  if (w.block().launch().isWatched()) [[unlikely]]
    noteLoad(w, op, space, sizeof(Memory));
  OrderedLoad ordered(w, op, space);
  const uint64_t* a = w.at<uint64_t>(op.o[0]);
  forLanes(w.exec, [&](unsigned lane) {
    const char* from = place<space>(w, op, lane, a[lane] + op.imm, sizeof(Memory), false);
    w.at<Reg>(op.o[1])[lane] =
        static_cast<Reg>(__atomic_load_n(reinterpret_cast<const Memory*>(from), __ATOMIC_RELAXED));
  });
}

template <Space space, class Memory, class Reg> void loadVector(Warp& w, const Op& op) {
  if (w.block().launch().isWatched()) [[unlikely]]
    noteLoad(w, op, space, sizeof(Memory) * op.aux);
  OrderedLoad ordered(w, op, space);
  const uint64_t* a = w.at<uint64_t>(op.o[0]);
  forLanes(w.exec, [&](unsigned lane) {
    const char* from = place<space>(w, op, lane, a[lane] + op.imm, sizeof(Memory) * op.aux, false);
    Memory values[4];
    for (unsigned k = 0; k < op.aux; ++k)
      values[k] = __atomic_load_n(reinterpret_cast<const Memory*>(from) + k, __ATOMIC_RELAXED);
    for (unsigned k = 0; k < op.aux; ++k)
      w.at<Reg>(op.o[1 + k])[lane] = static_cast<Reg>(values[k]);
  });
}

template <Space space, class Memory, class Reg> void store(Warp& w, const Op& op) {
  if (w.block().launch().isWatched()) [[unlikely]]
    noteStore(w, op, space, sizeof(Memory) * op.aux);
  const uint64_t* a = w.at<uint64_t>(op.o[0]);
  forLanes(w.exec, [&](unsigned lane) {
    char* to = place<space>(w, op, lane, a[lane] + op.imm, sizeof(Memory) * op.aux, true);
    for (unsigned k = 0; k < op.aux; ++k)
      __atomic_store_n(reinterpret_cast<Memory*>(to) + k, static_cast<Memory>(w.at<Reg>(op.o[1 + k])[lane]),
                       __ATOMIC_RELAXED);
  });
}

template <Space space, class Memory> Handler chooseLoad(unsigned bytes, bool vector) {
  using U = std::make_unsigned_t<Memory>;
  auto choose = [=]<class Reg>(Reg) -> Handler {
    // A signed value is extended with its sign to the register.
    using Extended = std::conditional_t<std::is_signed_v<Memory>, std::make_signed_t<Reg>, Reg>;
    if constexpr (sizeof(Reg) < sizeof(Memory))
      return nullptr;
    else if constexpr (sizeof(Reg) == sizeof(Memory))
      return vector ? loadVector<space, U, Reg> : load<space, U, Reg>;
    else
      return vector ? loadVector<space, Memory, Extended> : load<space, Memory, Extended>;
  };
  return bytes == 2 ? choose(uint16_t()) : bytes == 4 ? choose(uint32_t()) : bytes == 8 ? choose(uint64_t()) : nullptr;
}

template <Space space, class Memory> Handler chooseStore(unsigned bytes) {
  auto choose = []<class Reg>(Reg) -> Handler {
    if constexpr (sizeof(Reg) < sizeof(Memory))
      return nullptr;
    else
      return store<space, Memory, Reg>;
  };
  return bytes == 2 ? choose(uint16_t()) : bytes == 4 ? choose(uint32_t()) : bytes == 8 ? choose(uint64_t()) : nullptr;
}

template <Space space> Handler chooseLoad(Type type, unsigned bytes, bool vector) {
  switch (bytesOf(type)) {
  case 1:
    return isSigned(type) ? chooseLoad<space, int8_t>(bytes, vector) : chooseLoad<space, uint8_t>(bytes, vector);
  case 2:
    return isSigned(type) ? chooseLoad<space, int16_t>(bytes, vector) : chooseLoad<space, uint16_t>(bytes, vector);
  case 4:
    return isSigned(type) ? chooseLoad<space, int32_t>(bytes, vector) : chooseLoad<space, uint32_t>(bytes, vector);
  case 8:
    return chooseLoad<space, uint64_t>(bytes, vector);
  default:
    return nullptr;
  }
}

template <Space space> Handler chooseStore(Type type, unsigned bytes) {
  switch (bytesOf(type)) {
  case 1:
    return chooseStore<space, uint8_t>(bytes);
  case 2:
    return chooseStore<space, uint16_t>(bytes);
  case 4:
    return chooseStore<space, uint32_t>(bytes);
  case 8:
    return chooseStore<space, uint64_t>(bytes);
  default:
    return nullptr;
  }
}

} // namespace

Handler loadHandler(Space space, Type type, unsigned bytes, bool vector) {
  switch (space) {
  case Space::global:
  case Space::constant:
    return chooseLoad<Space::global>(type, bytes, vector);
  case Space::shared:
    return chooseLoad<Space::shared>(type, bytes, vector);
  case Space::local:
    return chooseLoad<Space::local>(type, bytes, vector);
  case Space::param:
  case Space::generic:
    return chooseLoad<Space::generic>(type, bytes, vector);
  }
  return nullptr;
}

Handler storeHandler(Space space, Type type, unsigned bytes) {
  switch (space) {
  case Space::global:
    return chooseStore<Space::global>(type, bytes);
  case Space::shared:
    return chooseStore<Space::shared>(type, bytes);
  case Space::local:
    return chooseStore<Space::local>(type, bytes);
  case Space::param:
  case Space::generic:
    return chooseStore<Space::generic>(type, bytes);
  case Space::constant:
    return nullptr;
  }
  return nullptr;
}

} // namespace bsgp::emulator
