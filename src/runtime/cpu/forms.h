// Which form of a kernel runs (bsgp_kernel::forms): the one that takes less time here, on this data.
//
// The blocks of a launch are handed out in turns, a few to one form, as many of their neighbours to the other, and each
// such pair is a comparison. A few of them settle it; from then on all blocks go to the better form, but for a pair
// every kPeriod blocks, and one where blocks begin to take another time than they did. Two that contradict open the
// question again. What is settled is kept by the size of launches: a graph's first rounds are other work than its last.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "plan/plan_abi.h"
#include "runtime/profile.h"

namespace bsgp::runtime {

// Of equal work in both forms, whose times are in ns: how much faster lanes are, as a power of two, within bounds.
float leadOf(double lanes, double alone);

// What is known of a kernel at one size of launches: two words of bsgp_forms. Zero: nothing.
struct FormRecord {
  float lead = 0;    // sum over the pairs of leadOf
  float squares = 0; // sum of their squares; settled: blockNs
  uint32_t left = 0; // settled: blocks until the next pair
  uint8_t pairs = 0; // since the question was opened; settled: that contradict, one after the other
  uint8_t chunk = 0; // log2 of the blocks that are timed together
  uint8_t settled = 0;
  uint8_t form = BSGP_FORM_LANES;

  void compare(float lead_of_pair, double ns_of_block); // in the form that took less time
  // Settled: what blocks take in the form that was chosen, `blocks` of them; looks again where that is new, in chunks of
  // up to `most` blocks.
  void watch(int64_t blocks, double ns, int64_t most);
  uint32_t better() const;                  // by what is known so far
  float blockNs() const { return squares; } // settled: what one took when it was last looked at
  bool mayBeNew() const;                    // settled: a pair is long enough ago for another

private:
  void open();
  void settle(double ns_of_block);
  bool isClear() const;
};
static_assert(sizeof(FormRecord) == 2 * sizeof(uint64_t));

FormRecord loadRecord(const bsgp_forms& forms, int64_t blocks);
void storeRecord(bsgp_forms& forms, int64_t blocks, const FormRecord& record);

// The form of a launch that is not worth a look at the clock: true where no block of it shall be timed. Counts it.
bool isSettled(bsgp_forms& forms, const bsgp_launch& launch, uint32_t& form);

// One launch of a kernel whose forms are compared. Any thread may call any function at any time.
class FormTrial {
public:
  FormTrial(bsgp_forms& forms, const bsgp_launch& launch);

  struct Turn {
    int64_t end;
    uint32_t form;
    bool paired; // with a neighbour in the other form
  };
  // What to run of [first, end) next; report() is told how long it took.
  Turn next(int64_t first, int64_t end);
  void report(int64_t first, const Turn& turn, double ns);
  FormsRun keep(); // when the launch is done

private:
  void begin(const bsgp_launch& launch);
  bool mayTime(int64_t blocks) const;
  Turn paired(int64_t first);
  void reportOfPair(int64_t blocks, uint32_t form, double ns);

  bsgp_forms& forms_;
  const int64_t blocks_;
  std::mutex mutex_; // of all below
  FormRecord record_;
  uint32_t turns_;           // that were paired
  bool in_pair_ = false;     // one of a pair was handed out
  bool any_paired_ = false;  // of this launch
  int64_t watched_ = 1;      // settled: chunks of the next turn; more and more, as nothing is new
  int64_t room_ = 0;         // blocks that may still be timed before it is settled
  std::vector<double> open_; // ns of turns whose partners are not done yet, all of one form
  uint32_t open_form_ = 0;
  int64_t open_blocks_ = 0;
  FormsRun ran_;
};

} // namespace bsgp::runtime
