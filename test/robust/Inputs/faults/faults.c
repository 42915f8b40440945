/* To be preloaded: makes the N-th request for memory or for a thread of a process fail, or all from the N-th on.
 *   FAULT_AT=N        none with 0
 *   FAULT_ON=1        all from there on
 *   FAULT_WAITS=1     counts from a call of faults_begin on
 *   FAULT_COUNT=FILE  writes the number of requests there when the process ends */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

typedef int create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
static create* system_create;
static long first, count;
static int is_ready, goes_on, waits;

static void get_ready(void) {
  if (!environ || is_ready)
    return;
  is_ready = 1;
  waits = 1; /* while dlsym takes memory */
  system_create = (create*)dlsym(RTLD_NEXT, "pthread_create");
  for (char** variable = environ; *variable; ++variable)
    if (strncmp(*variable, "LD_PRELOAD=", 11) == 0)
      (*variable)[0] = 'X'; /* children go without */
  first = getenv("FAULT_AT") ? atol(getenv("FAULT_AT")) : 0;
  goes_on = getenv("FAULT_ON") != NULL;
  waits = getenv("FAULT_WAITS") != NULL;
}

static int fails(void) {
  if (!is_ready)
    get_ready();
  if (!is_ready || waits)
    return 0;
  long number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  int failing = first && (number == first || (goes_on && number > first));
  if (failing)
    errno = ENOMEM;
  return failing;
}

void faults_begin(void) {
  waits = 0;
}

void* malloc(size_t bytes) {
  return fails() ? NULL : __libc_malloc(bytes);
}
void* calloc(size_t number, size_t bytes) {
  return fails() ? NULL : __libc_calloc(number, bytes);
}
void* realloc(void* old, size_t bytes) {
  return fails() ? NULL : __libc_realloc(old, bytes);
}
void* memalign(size_t align, size_t bytes) {
  return fails() ? NULL : __libc_memalign(align, bytes);
}
void* aligned_alloc(size_t align, size_t bytes) {
  return memalign(align, bytes);
}
int posix_memalign(void** out, size_t align, size_t bytes) {
  void* made = memalign(align, bytes);
  if (made)
    *out = made;
  return made ? 0 : ENOMEM;
}
void* mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset) {
  if (fails())
    return MAP_FAILED;
  return (void*)syscall(SYS_mmap, address, bytes, protection, flags, file, offset);
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*), void* argument) {
  return fails() ? EAGAIN : system_create(thread, attributes, body, argument);
}

__attribute__((destructor)) static void tell(void) {
  const char* path = getenv("FAULT_COUNT");
  char text[32];
  int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
  if (file >= 0 && write(file, text, (size_t)snprintf(text, sizeof text, "%ld\n", count)) < 0)
    abort();
}
