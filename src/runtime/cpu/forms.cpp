#include "runtime/cpu/forms.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>

#include "runtime/device.h"

namespace bsgp::runtime {
namespace {

constexpr uint32_t kPeriod = 1024;    // settled: blocks from pair to pair, in chunks
constexpr int64_t kShare = 8;         // of a launch, to settle it
constexpr double kShortNs = 2'000;    // to be longer next time
constexpr unsigned kLargestChunk = 6; // log2
// Threads that are timed together in a wavefront: a share of the launch, within bounds. It may take more of the launch to
// settle whether that is faster, as it is not much slower.
constexpr int64_t kChunksOfWavefront = 16, kLeastOfWavefront = 1024, kMostOfWavefront = 4096, kShareOfWavefront = 2;
constexpr int64_t kLeastChunks = 16; // of a launch, or they grow no more
constexpr double kMostOfOne = 3;     // log2: one thread with much to do says nothing about the forms

// Enough pairs with enough of a lead; or one that is large beside how much pairs differ; or as many as there will be.
constexpr unsigned kFewPairs = 3, kSomePairs = 4, kManyPairs = 32;
constexpr double kLargeLead = 6, kClear = 8;
constexpr double kDoubt = 0.1;        // log2, of a pair that contradicts the settled form
constexpr int64_t kMostWatched = 32;  // settled: chunks that are timed together
constexpr uint32_t kWatchedTurns = 4; // of so many one is timed: a look at the clock costs as much as many a block
constexpr double kWatchedNs = 10'000; // a launch of less is not
constexpr double kNew = 2;            // times as long, or as short, as blocks took
constexpr uint32_t kRest = 32;        // chunks from a pair to one for that reason; twice as many after each that agrees
constexpr uint8_t kMostAgreed = 4;
constexpr uint32_t kLaunches = 64; // short ones, from pair to pair

size_t sizeOf(int64_t blocks) {
  int bits = std::bit_width(uint64_t(blocks)) - std::bit_width(uint64_t(kFewestBlocks));
  return size_t(std::clamp(bits, 0, int(kSizes) - 1));
}

} // namespace

// ---- records

FormRecord loadRecord(const bsgp_forms& forms, int64_t blocks) {
  return loadSlot<FormRecord>(forms, sizeOf(blocks));
}

uint32_t nearestChoice(const bsgp_forms& forms, size_t slot) {
  for (size_t distance = 0; distance < kSizes; ++distance)
    for (size_t other : {slot - distance, slot + distance})
      if (other < kSizes)
        if (auto record = loadSlot<FormRecord>(forms, other); record.settled)
          return record.form;
  return formsOf(forms) >> BSGP_FORM_WAVEFRONT & 1 ? BSGP_FORM_WAVEFRONT : BSGP_FORM_LANES;
}

float leadOf(double form, double rival) {
  return float(std::clamp(std::log2(std::max(rival, 1.0) / std::max(form, 1.0)), -kMostOfOne, kMostOfOne));
}

void FormRecord::begin(uint32_t first, uint32_t made) {
  form = uint8_t(first);
  tried = 0;
  rival = form;
  rival = uint8_t(nextRival(made));
}

// The form behind the last rival that is no other one's loser.
uint32_t FormRecord::nextRival(uint32_t made) const {
  for (uint32_t i = 1; i <= BSGP_FORMS; ++i)
    if (uint32_t next = (rival + i) % BSGP_FORMS; next != form && made >> next & 1 && !(tried >> next & 1))
      return next;
  return form;
}

void FormRecord::compare(float lead_of_pair, double ns_of_block, uint32_t made) {
  if (settled) {
    bool contradicts = -lead_of_pair > kDoubt;
    if (contradicts && contradicted)
      return open(made);
    contradicted = contradicts;
    if (contradicts) {
      left = 0;
    } else {
      settled = std::min<uint8_t>(settled + 1, kMostAgreed);
      rival = uint8_t(nextRival(made));
    }
    return;
  }
  ++pairs;
  lead += lead_of_pair;
  squares += lead_of_pair * lead_of_pair;
  if (isClear())
    decide(ns_of_block, made);
}

// Blocks that got shorter go in larger chunks, so that a pair is worth a look at the clock.
uint8_t FormRecord::chunkOf(double ns_of_block, int64_t most) const {
  uint8_t fitting = chunk;
  auto chunkNs = [&] { return std::ldexp(ns_of_block, fitting); };
  while (fitting && chunkNs() > 2 * kShortNs)
    --fitting;
  while (fitting < kLargestChunk && chunkNs() < kShortNs && int64_t(2) << fitting <= most)
    ++fitting;
  return fitting;
}

// The rest is counted in the smaller chunks of the two: after short blocks, it is over after a few long ones.
void FormRecord::watch(int64_t blocks, double ns, int64_t most) {
  double of_block = ns / double(blocks);
  if (of_block < kNew * block_ns && block_ns < kNew * of_block)
    return;
  uint8_t fitting = chunkOf(of_block, most);
  uint32_t period = kPeriod << chunk, passed = period - std::min(period, left);
  if (passed <= (kRest << (settled - 1)) << std::min(chunk, fitting))
    return;
  block_ns = float(of_block);
  chunk = fitting;
  left = 0;
}

bool FormRecord::isClear() const {
  return (pairs >= kFewPairs && std::abs(lead) >= kLargeLead) ||
         (pairs >= kSomePairs && lead * lead >= kClear * squares) || pairs >= kManyPairs;
}

void FormRecord::decide(double ns_of_block, uint32_t made) {
  uint32_t loser = lead < 0 ? form : rival;
  form = lead < 0 ? rival : form;
  tried |= uint8_t(1u << loser);
  pairs = 0;
  lead = squares = 0;
  if (uint32_t next = nextRival(made); next != form) {
    rival = uint8_t(next);
    return;
  }
  settled = 1, contradicted = 0, tried = 0;
  rival = uint8_t(nextRival(made));
  block_ns = float(std::max(ns_of_block, 1.0));
  left = kPeriod << chunk;
}

// Between the form and the rival that contradicts it.
void FormRecord::open(uint32_t made) {
  lead = squares = 0;
  pairs = settled = 0;
  tried = uint8_t(made & ~(1u << form | 1u << rival));
}

uint32_t FormRecord::better() const {
  return settled || lead > -1 ? form : rival;
}

bool isSettled(bsgp_forms& forms, const bsgp_launch& launch, uint32_t& form) {
  int64_t blocks = blockCount(launch);
  FormRecord record = loadRecord(forms, blocks);
  form = record.better();
  uint32_t passed = std::max(uint32_t(blocks), (kPeriod << record.chunk) / kLaunches);
  if (!record.settled || record.left < passed || double(blocks) * record.block_ns > kWatchedNs)
    return false;
  record.left -= passed;
  storeSlot(forms, sizeOf(blocks), record);
  return true;
}

// ---- a launch

FormTrial::FormTrial(bsgp_forms& forms, const bsgp_launch& launch)
    : forms_(forms), made_(formsOf(forms)), blocks_(blockCount(launch)), record_(loadRecord(forms, blocks_)),
      turns_(record_.isReversed() ? 2 : 0) {
  if (record_.isNew())
    begin(launch);
  int64_t threads = std::clamp(launch.size / kChunksOfWavefront, kLeastOfWavefront, kMostOfWavefront);
  blocks_of_wavefront_ = threads / std::max<int64_t>(launch.block, 1);
  makeRoom();
}

// Nothing is known yet: of launches of other sizes there may be.
void FormTrial::begin(const bsgp_launch& launch) {
  while (launch.block << record_.chunk < BSGP_BLOCK)
    ++record_.chunk;
  record_.begin(nearestChoice(forms_, sizeOf(blocks_)), made_);
}

// A wavefront needs many threads to keep its lanes busy, so it is timed with many.
bool FormTrial::comparesWavefront() const {
  return record_.form == BSGP_FORM_WAVEFRONT || record_.rival == BSGP_FORM_WAVEFRONT;
}

int64_t FormTrial::chunk() const {
  int64_t blocks = int64_t(1) << record_.chunk;
  return comparesWavefront() ? std::max(blocks, blocks_of_wavefront_) : blocks;
}

void FormTrial::makeRoom() {
  room_ = std::max(blocks_ / (comparesWavefront() ? kShareOfWavefront : kShare), 2 * chunk());
}

FormTrial::Turn FormTrial::next(int64_t first, int64_t end) {
  std::lock_guard lock(mutex_);
  Turn turn{end, record_.better(), false, false};
  if (comparesWavefront() && !in_pair_)
    blocks_of_wavefront_ = std::min(blocks_of_wavefront_, end - first); // ranges may be shorter
  if (mayTime(end - first)) {
    turn = paired(first);
  } else if (record_.settled && record_.left) { // up to the next pair
    turn.end = std::min({end, first + int64_t(record_.left), first + (watched_ << record_.chunk)});
    turn.timed = watched_ < kMostWatched || ++passed_ == kWatchedTurns;
    passed_ = turn.timed ? 0 : passed_;
    watched_ = std::min(2 * watched_, kMostWatched);
    record_.left -= uint32_t(turn.end - first);
  }
  ran_.blocks[turn.form] += turn.end - first;
  turn.question = question_;
  return turn;
}

bool FormTrial::mayTime(int64_t blocks) const {
  return blocks >= chunk() && (record_.settled ? record_.left == 0 : room_ >= chunk());
}

// The forms follow each other as 0 1 1 0 0 1 1 0: what gets slower or faster along the launch does so for both.
FormTrial::Turn FormTrial::paired(int64_t first) {
  int64_t chunk = this->chunk();
  any_paired_ = true;
  if (record_.settled && !in_pair_) { // a turn handed out before it was settled has no partner to wait for
    turns_ += turns_ & 1;
    open_.clear();
  }
  uint32_t form = ((turns_ >> 1) ^ turns_) & 1 ? record_.rival : record_.form;
  in_pair_ = ++turns_ & 1;
  if (!record_.settled)
    room_ -= chunk;
  else if (!in_pair_)
    record_.left = kPeriod * uint32_t(chunk);
  return {first + chunk, form, true, true};
}

void FormTrial::report(int64_t first, const Turn& turn, double ns) {
  std::lock_guard lock(mutex_);
  int64_t blocks = turn.end - first;
  if (turn.question != question_)
    return; // it was for an old question
  if (turn.paired)
    reportOfPair(blocks, turn.form, ns);
  else if (record_.settled && turn.form == record_.form && blocks >= int64_t(1) << record_.chunk)
    record_.watch(blocks, ns, blocks_ / kLeastChunks);
}

void FormTrial::reportOfPair(int64_t blocks, uint32_t form, double ns) {
  if (open_.empty() || open_blocks_ != blocks) {
    open_.assign(1, ns);
    open_form_ = form, open_blocks_ = blocks;
    return;
  }
  if (form == open_form_) {
    open_.push_back(ns);
    return;
  }
  double other = open_.back();
  open_.pop_back();
  double shorter = std::min(ns, other);
  if (!record_.settled && shorter < kShortNs && record_.chunk < kLargestChunk && blocks * kLeastChunks <= blocks_)
    record_.chunk = uint8_t(std::bit_width(uint64_t(blocks)));
  if (shorter < kShortestNs)
    return;
  FormRecord before = record_;
  float lead = form == record_.form ? leadOf(ns, other) : leadOf(other, ns);
  ran_.compared(record_.form, record_.rival, lead);
  record_.compare(lead, shorter / double(blocks), made_);
  if (bool(record_.settled) != bool(before.settled) || record_.form != before.form || record_.rival != before.rival) {
    in_pair_ = false;
    ++question_;
    open_.clear();
    makeRoom();
    if (record_.settled)
      record_.left = kPeriod * uint32_t(this->chunk());
  }
}

// A chunk that is longer than all ranges the launch was cut into is halved: blocks take longer than when it grew.
FormsRun FormTrial::keep() {
  std::lock_guard lock(mutex_);
  bool due = !record_.settled || !record_.left;
  if (due && !any_paired_ && record_.chunk)
    --record_.chunk;
  storeSlot(forms_, sizeOf(blocks_), record_);
  return ran_;
}

} // namespace bsgp::runtime
