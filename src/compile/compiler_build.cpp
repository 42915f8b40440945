#include "compile/compiler_build.h"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string_view>

#include <link.h>

#include <llvm-c/Core.h>
#include <llvm/Config/llvm-config.h>

namespace bsgp::compile {
namespace {

struct Search {
  uintptr_t address; // somewhere in the library
  std::string id, file;
};

bool holds(const dl_phdr_info& library, uintptr_t address) {
  for (int i = 0; i < library.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = library.dlpi_phdr[i];
    uintptr_t begin = library.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= begin && address - begin < segment.p_memsz)
      return true;
  }
  return false;
}

size_t padded(size_t bytes) {
  return (bytes + 3) & ~size_t(3);
}

// The notes of one segment: name size, contents' size, kind, then both, padded.
std::string_view buildIdIn(const char* notes, size_t bytes) {
  while (bytes >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head;
    std::memcpy(&head, notes, sizeof head);
    size_t whole = sizeof head + padded(head.n_namesz) + padded(head.n_descsz);
    if (whole > bytes)
      break;
    std::string_view name(notes + sizeof head, head.n_namesz);
    if (head.n_type == NT_GNU_BUILD_ID && name == std::string_view("GNU", 4))
      return {notes + sizeof head + padded(head.n_namesz), head.n_descsz};
    notes += whole;
    bytes -= whole;
  }
  return {};
}

int look(dl_phdr_info* library, size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (!holds(*library, search.address))
    return 0;
  search.file = library->dlpi_name;
  for (int i = 0; i < library->dlpi_phnum && search.id.empty(); ++i) {
    const ElfW(Phdr)& segment = library->dlpi_phdr[i];
    if (segment.p_type == PT_NOTE)
      search.id = buildIdIn(reinterpret_cast<const char*>(library->dlpi_addr + segment.p_vaddr), segment.p_memsz);
  }
  return 1;
}

Search libraryAt(uintptr_t address) {
  Search search{address, {}, {}};
  dl_iterate_phdr(look, &search);
  return search;
}

} // namespace

std::string compilerBuild() {
  std::string ours = libraryAt(reinterpret_cast<uintptr_t>(&look)).id;
  std::string llvms = libraryAt(reinterpret_cast<uintptr_t>(&LLVMContextCreate)).id;
  return ours.empty() || llvms.empty() ? std::string() : ours + llvms + LLVM_VERSION_STRING;
}

std::string compilerFile() {
  std::string file = libraryAt(reinterpret_cast<uintptr_t>(&look)).file;
  std::error_code failed;
  return std::filesystem::canonical(file.empty() ? "/proc/self/exe" : file, failed).string();
}

} // namespace bsgp::compile
