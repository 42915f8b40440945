// Loaded in front of a program: how often it asks the system's allocator for memory, on stderr when it ends.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>

void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* block, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);

static atomic_long taken;

void* malloc(size_t bytes) { return ++taken, __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) { return ++taken, __libc_calloc(count, bytes); }
void* realloc(void* block, size_t bytes) { return ++taken, __libc_realloc(block, bytes); }
void* aligned_alloc(size_t alignment, size_t bytes) { return ++taken, __libc_memalign(alignment, bytes); }
void* memalign(size_t alignment, size_t bytes) { return ++taken, __libc_memalign(alignment, bytes); }
int posix_memalign(void** block, size_t alignment, size_t bytes) {
  ++taken;
  *block = __libc_memalign(alignment, bytes);
  return *block == NULL;
}
void* mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset) {
  static void* (*real)(void*, size_t, int, int, int, off_t);
  if (!real)
    *(void**)&real = dlsym(RTLD_NEXT, "mmap");
  return ++taken, real(address, bytes, protection, flags, file, offset);
}

__attribute__((destructor)) static void tell(void) { fprintf(stderr, "allocations: %ld\n", taken); }
