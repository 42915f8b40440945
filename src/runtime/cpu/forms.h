// Chooses which form of a kernel runs (bsgp_kernel::forms): the one that takes less time here, on this data.
//
// Two forms are compared at a time, the one that is taken for better and a *rival*; the better of them meets the next.
// A *chunk* is a few blocks that are timed together. Of two neighbouring chunks one goes to each form: that is a
// *pair*, a comparison. Its *lead* is how much faster the first form was, as log2 of a ratio. A few pairs decide between
// two forms; when no form is left the question is *settled*, and from then on all blocks go to the best one. Still there
// is a pair every kPeriod chunks, with one rival after the other, and one where blocks begin to take another time than
// they did. Two such pairs in a row that contradict what was settled open the question again.
//
// Records are kept by the size of launches: the first iterations of a graph algorithm are other work than its last.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <mutex>
#include <vector>

#include "plan/plan_abi.h"
#include "runtime/profile.h"

namespace bsgp::runtime {

// The lead of a form over its rival from the times in ns of equal work: log2(rival / form), within bounds.
float leadOf(double form, double rival);

// The forms that a kernel has, a bit for each.
inline uint32_t formsOf(const bsgp_forms& forms) {
  return forms.made ? uint32_t(forms.made) : 1u << BSGP_FORM_LANES | 1u << BSGP_FORM_ALONE;
}

// The record of a kernel at one size of launches: two words of bsgp_forms. Zero: nothing is known. If two threads
// write at the same time, each word may be of another one: fields that must agree with `settled` stand in its word.
struct FormRecord {
  float lead = 0; // open: sum over the pairs of leadOf
  union {
    float squares = 0; // open: sum of their squares
    float block_ns;    // settled: the time of a block when it was last measured
  };
  uint32_t left = 0;   // blocks until the next pair; of small launches, launches
  uint8_t pairs = 0;   // open: so far
  uint8_t chunk = 0;   // log2 of the blocks that are timed together
  uint8_t settled = 0; // 0: the question is open; else 1, and one more for each pair that agreed, up to a few
  uint8_t form : 2 = BSGP_FORM_LANES;
  uint8_t rival : 2 = BSGP_FORM_ALONE;
  uint8_t tried : 3 = 0;        // open: the forms that were not better, a bit for each
  uint8_t contradicted : 1 = 0; // settled: by the last pair

  // Takes `first`, of the forms that the kernel has, for the best.
  void begin(uint32_t first, uint32_t made);
  // A pair of the form and its rival; `ns_of_block` in the one that took less time.
  void compare(float lead_of_pair, double ns_of_block, uint32_t made);
  // Settled: `blocks` of them took that time in the chosen form; looks again if that is new, in chunks of up to
  // `most` blocks.
  void watch(int64_t blocks, double ns, int64_t most);
  uint32_t better() const; // by the pairs so far
  bool isNew() const { return !settled && !pairs && !tried; }
  bool isBetween(uint32_t a, uint32_t b) const { return (a == form && b == rival) || (a == rival && b == form); }
  // True if the next pair begins with the other form than the one before it did.
  bool isReversed() const { return settled ? contradicted : pairs & 1; }

private:
  void open(uint32_t made);
  void decide(double ns_of_block, uint32_t made);
  uint32_t nextRival(uint32_t made) const;
  bool isClear() const;
  uint8_t chunkOf(double ns_of_block, int64_t most) const; // for a pair to be as long as it should
};
static_assert(sizeof(FormRecord) == 2 * sizeof(uint64_t));

constexpr int64_t kFewestBlocks = 8; // a launch of fewer, or of fewer threads than theirs, is small (small_launches.h)
constexpr double kShortestNs = 300;  // less is too short for the clock

// The slots of bsgp_forms: one for each power of two of blocks, and two for small launches.
constexpr size_t kPendingSlot = BSGP_FORM_SIZES - 2, kSmallSlot = BSGP_FORM_SIZES - 1, kSizes = kPendingSlot;

// Launches of several contexts may write at the same time: each word is a whole one.
template <class T> T loadSlot(const bsgp_forms& forms, size_t slot) {
  std::array<uint64_t, 2> words;
  for (size_t i = 0; i < 2; ++i)
    words[i] = std::atomic_ref(const_cast<bsgp_forms&>(forms).sizes[slot][i]).load(std::memory_order_relaxed);
  return std::bit_cast<T>(words);
}
template <class T> void storeSlot(bsgp_forms& forms, size_t slot, const T& value) {
  auto words = std::bit_cast<std::array<uint64_t, 2>>(value);
  for (size_t i = 0; i < 2; ++i)
    std::atomic_ref(forms.sizes[slot][i]).store(words[i], std::memory_order_relaxed);
}

FormRecord loadRecord(const bsgp_forms& forms, int64_t blocks);
// Returns the better form of the nearest known size to the slot's; if nothing is known a wavefront, where the program has
// one, else lanes.
uint32_t nearestChoice(const bsgp_forms& forms, size_t slot);

// Returns the form of a launch that is not to be timed, and counts it towards the next pair; false if it is to be
// timed.
bool isSettled(bsgp_forms& forms, const bsgp_launch& launch, uint32_t& form);

// One launch of a kernel whose forms are compared. Any thread may call any function at any time.
class FormTrial {
public:
  FormTrial(bsgp_forms& forms, const bsgp_launch& launch);

  struct Turn {
    int64_t end;
    uint32_t form;
    bool paired; // with a neighbour in the other form
    bool timed;  // report() gets the time it took
    uint32_t question = 0;
  };
  // Returns what to run of [first, end) next.
  Turn next(int64_t first, int64_t end);
  void report(int64_t first, const Turn& turn, double ns);
  FormsRun keep(); // when the launch is done

private:
  void begin(const bsgp_launch& launch);
  bool comparesWavefront() const;
  int64_t chunk() const; // blocks that are timed together
  void makeRoom();
  bool mayTime(int64_t blocks) const;
  Turn paired(int64_t first);
  void reportOfPair(int64_t blocks, uint32_t form, double ns);

  bsgp_forms& forms_;
  const uint32_t made_;
  const int64_t blocks_;
  std::mutex mutex_; // of all below
  FormRecord record_;
  uint32_t turns_;                  // of the paired ones
  uint32_t question_ = 0;           // grows when other forms are compared, or when it is settled
  bool in_pair_ = false;            // one of a pair was handed out
  bool any_paired_ = false;         // of this launch
  uint32_t passed_ = 0;             // turns since the last that was timed
  int64_t watched_ = 1;             // settled: chunks of the next turn; more and more, as nothing is new
  int64_t room_ = 0;                // blocks that may still be timed before it is settled
  int64_t blocks_of_wavefront_ = 0; // at the least, of a turn that is compared with one
  std::vector<double> open_;        // ns of turns whose partners are not done yet, all of one form
  uint32_t open_form_ = 0;
  int64_t open_blocks_ = 0;
  FormsRun ran_;
};

} // namespace bsgp::runtime
