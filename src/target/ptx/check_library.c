/* What watched kernels call on a GPU: bounds, races between blocks, and which bytes were written. They find the
 * allocation of a pointer in a sorted table, and tell the host by records.
 *
 * check_library.ll is made of this by tools/make_check_library.py, so that building the compiler takes no other one. */
#include "plan/check_abi.h"
#include "plan/gpu_check_abi.h"

typedef uint64_t u64;
typedef uint32_t u32;
#define DEVICE __attribute__((address_space(1)))
#define ONCE __attribute__((noinline))

typedef DEVICE bsgp_gpu_check* Check;
typedef DEVICE bsgp_gpu_memory* Memory;

enum { kEpochAt = 50, kStateAt = 45, kRaced = 31, kBothOfRead = BSGP_RACE_AS_READ | BSGP_RACE_OWNERS_AS_READ };
enum { kKeepsMore = kBothOfRead | BSGP_RACE_AS_OTHERS | BSGP_RACE_OWNERS_AS_OTHERS };

static void countOne(DEVICE u64* counter) {
  __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

ONCE Memory bsgp_gpu_check_find(Check check, u64 base) {
  Memory all = (Memory)check->memories;
  u64 low = 0, high = check->memory_count;
  while (low < high) {
    u64 middle = (low + high) / 2;
    if (all[middle].begin <= base)
      low = middle + 1;
    else
      high = middle;
  }
  return low == 0 || base >= all[low - 1].end ? 0 : &all[low - 1];
}

ONCE void bsgp_gpu_check_tell(Check check, u64 what, int64_t rank, u64 a, u64 b, u64 word, u64 others, u64 reads) {
  if (check->capacity == 0)
    return;
  u64 site = what & 0xFFFFFFFF, of_site = __atomic_fetch_add((DEVICE u32*)check->counts + site, 1, __ATOMIC_RELAXED);
  check->any = 1;
  u64 at = site * BSGP_GPU_FIRST + of_site;
  if (of_site >= check->most_of_site)
    return countOne(&check->lost);
  if (of_site >= BSGP_GPU_FIRST) {
    u64 shared = __atomic_fetch_add(&check->found, 1, __ATOMIC_RELAXED);
    if (shared >= check->capacity)
      return countOne(&check->lost);
    at = check->site_count * BSGP_GPU_FIRST + shared;
  }
  DEVICE bsgp_gpu_finding* finding = (DEVICE bsgp_gpu_finding*)check->findings + at;
  finding->what = what, finding->rank = rank, finding->a = a, finding->b = b;
  finding->words[0] = word, finding->words[1] = others, finding->words[2] = reads;
}

static u64 rankOf(Check check, u64 entry) {
  return entry & (((u64)1 << check->rank_bits) - 1);
}

static u64 made(Check check, u64 state, u64 number, int64_t rank) {
  return check->epoch << kEpochAt | state << kStateAt | number << check->rank_bits | (u64)rank;
}

/* 0: more than an entry can tell. */
static u64 numberOf(Check check, u32 site) {
  u64 number = (u64)site + 1;
  return number >> (kStateAt - check->rank_bits) ? 0 : number;
}

static int areOfOneBlock(Check check, u64 a, u64 b) {
  return a / check->block == b / check->block;
}

/* As Races::remember of the runtime. */
ONCE void bsgp_gpu_check_remember(Check check, Memory memory, u64 granule, u64 old, u64 mine, u32 step) {
  DEVICE u64* entries = (DEVICE u64*)memory->entries;
  DEVICE volatile u64* others = entries + memory->granules + granule;
  DEVICE volatile u64* reads = entries + 2 * memory->granules + granule;
  if (step & kBothOfRead)
    *reads = step & BSGP_RACE_AS_READ ? mine : old;
  if (step & BSGP_RACE_AS_OTHERS)
    *others = mine;
  if (!(step & BSGP_RACE_OWNERS_AS_OTHERS))
    return;
  u64 other = *others;
  int still_is_other = (step & BSGP_RACE_HAD_OTHERS) && other >> kEpochAt == check->epoch &&
                       !areOfOneBlock(check, rankOf(check, other), rankOf(check, mine));
  if (!still_is_other)
    *others = old;
}

static u32 stepOf(Check check, u64 state, u64 is_owner, u64 facts) {
  return ((DEVICE u32*)check->steps)[state * 8 + is_owner * 4 + (facts >> BSGP_FACT_CLASS & 3)];
}

/* As Races::change of the runtime: owners are blocks. */
ONCE void bsgp_gpu_check_race(Check check, Memory memory, u64 granule, int64_t rank, u32 site, u64 facts) {
  DEVICE u64* entries = (DEVICE u64*)memory->entries;
  DEVICE u64* slot = entries + granule;
  u64 old = *(DEVICE volatile u64*)slot;
  for (;;) {
    u64 state = old >> kEpochAt == check->epoch ? old >> kStateAt & 31 : 0;
    if (state == kRaced)
      return;
    u64 is_owner = state && areOfOneBlock(check, rankOf(check, old), (u64)rank);
    u32 step = stepOf(check, state, is_owner, facts);
    int races = (step & BSGP_RACE_STATE) == kRaced, is_unjudged = races && (facts >> BSGP_FACT_MAY_BE_ORDERED & 1);
    if (is_unjudged)
      step = stepOf(check, 0, 1, facts);
    u64 mine = made(check, step & BSGP_RACE_STATE, numberOf(check, site), rank);
    u64 kept = (old & ~((u64)31 << kStateAt)) | (u64)(step & BSGP_RACE_STATE) << kStateAt;
    u64 fresh = step & BSGP_RACE_AS_OWNERS ? mine : kept;
    if (step & kKeepsMore)
      bsgp_gpu_check_remember(check, memory, granule, old, mine, step);
    u64 seen = old;
    if (fresh != old && !__atomic_compare_exchange_n(slot, &seen, fresh, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      old = seen;
      continue;
    }
    if (is_unjudged && (facts >> BSGP_FACT_COUNTS & 1))
      countOne(&check->unjudged);
    if (races && !is_unjudged)
      bsgp_gpu_check_tell(check, (u64)BSGP_TOLD_RACE << 32 | site, rank, memory->begin + (granule << memory->shift), 0,
                          old, slot[memory->granules], slot[2 * memory->granules]);
    return;
  }
}

/* What the host has not given a table of is the caller's own: nothing is known of it. */
static int isOfCallers(u64 at, u64 base) {
  u64 kAround = (u64)1 << 50;
  int is_far = at - base - (BSGP_CHECK_FAR - kAround) < 2 * kAround;
  return base >= 4096 && base < (u64)1 << 49 && !is_far;
}

/* The address, or where a bad access goes in its place. */
u64 bsgp_gpu_check_access(Check check, int64_t rank, u64 at, u64 base, u32 site, u64 facts) {
  u64 bytes = facts & 0xFFFF, align = facts >> BSGP_FACT_ALIGN & 0xFFFF;
  Memory memory = bsgp_gpu_check_find(check, base);
  u64 offset = memory ? at - memory->begin : 0, what = BSGP_TOLD_OUTSIDE;
  int is_good = memory ? offset < memory->extent && bytes <= memory->extent - offset : isOfCallers(at, base);
  if (is_good && (at & (align - 1)))
    is_good = 0, what = BSGP_TOLD_MISALIGNED;
  if (!is_good) {
    bsgp_gpu_check_tell(check, what << 32 | site, rank, at, base, 0, 0, 0);
    if ((facts >> BSGP_FACT_ACCESS & 7) == BSGP_ACCESS_READ)
      return check->zeros;
    DEVICE volatile u64* trash = (DEVICE volatile u64*)check->trash;
    *trash = 0;
    return check->trash;
  }
  if (memory && memory->entries && (facts >> BSGP_FACT_RACES & 1))
    for (u64 i = offset >> memory->shift, last = (offset + bytes - 1) >> memory->shift; i <= last; ++i)
      bsgp_gpu_check_race(check, memory, i, rank, site, facts);
  return at;
}

/* As Races::put of the runtime. */
void bsgp_gpu_check_put(Check check, int64_t rank, int64_t target, u32 put, u32 site) {
  if ((u64)target >= check->size)
    return;
  if (put >= check->put_rows)
    return countOne(&check->unjudged);
  DEVICE u64* slot = (DEVICE u64*)check->puts + put * check->size + target;
  u64 number = numberOf(check, site);
  u64 old = __atomic_exchange_n(slot, made(check, 1, number, rank), __ATOMIC_RELAXED);
  u64 old_number = (old & (((u64)1 << kStateAt) - 1)) >> check->rank_bits;
  if (old >> kEpochAt == check->epoch && !(rankOf(check, old) == (u64)rank && old_number == number))
    bsgp_gpu_check_tell(check, (u64)BSGP_TOLD_PUT << 32 | site, rank, (u64)target, 0, old, 0, 0);
}

/* The bits of up to 32 bytes, from the `i`th on. */
static u32 maskOf(u64 i, u64 end, u64* next) {
  u64 first = i & 31, count = end - i < 32 - first ? end - i : 32 - first;
  *next = i + count;
  return ~(u32)0 >> (32 - count) << first;
}

u32 bsgp_gpu_check_is_written(Check check, u64 at, u64 bytes) {
  Memory memory = bsgp_gpu_check_find(check, at);
  if (!memory || !memory->written || at - memory->begin + bytes > memory->bytes)
    return 1;
  for (u64 i = at - memory->begin, end = i + bytes, next; i < end; i = next) {
    DEVICE volatile u32* word = (DEVICE volatile u32*)memory->written + (i >> 5);
    u32 mask = maskOf(i, end, &next);
    if ((*word & mask) != mask)
      return 0;
  }
  return 1;
}

void bsgp_gpu_check_set_written(Check check, u64 at, u64 bytes, u32 is_written) {
  Memory memory = bsgp_gpu_check_find(check, at);
  if (!memory || !memory->written || at - memory->begin + bytes > memory->bytes)
    return;
  for (u64 i = at - memory->begin, end = i + bytes, next; i < end; i = next) {
    DEVICE u32* word = (DEVICE u32*)memory->written + (i >> 5);
    u32 mask = maskOf(i, end, &next);
    if ((*(DEVICE volatile u32*)word & mask) == (is_written ? mask : 0))
      continue;
    if (is_written)
      __atomic_fetch_or(word, mask, __ATOMIC_RELAXED);
    else
      __atomic_fetch_and(word, ~mask, __ATOMIC_RELAXED);
  }
}

/* Of a variable of the host, by its offset in the frame. */
u32 bsgp_gpu_check_is_set(Check check, u64 at, u64 bytes) {
  DEVICE u64* ranges = (DEVICE u64*)check->unset;
  for (u64 i = 0; i < 2 * check->unset_count; i += 2)
    if (at < ranges[i + 1] && ranges[i] < at + bytes)
      return 0;
  return 1;
}
