// The worklist: a block waits for its turn if a block in front of it has run for any thread since. The earliest in
// reverse postorder comes first, so a loop ends for all threads before what stands behind it begins.
#include "runtime/partition.h"

#include <algorithm>
#include <span>
#include <vector>

#include "bsgp/bsgp.h"

namespace bsgp::runtime {
namespace {

class Worklist {
public:
  explicit Worklist(const bsgp_partition& partition) : partition_(partition), waits_(partition.blocks) {}

  void addBehind(uint32_t block) {
    for (uint32_t i = partition_.next_begin[block]; i < partition_.next_begin[block + 1]; ++i)
      waits_[partition_.next[i]] = true;
  }

  // Takes the first block that waits; 0: there is none.
  uint32_t take() {
    auto first = std::find(waits_.begin(), waits_.end(), true);
    if (first == waits_.end())
      return 0;
    *first = false;
    return uint32_t(first - waits_.begin());
  }

private:
  const bsgp_partition& partition_;
  std::vector<bool> waits_; // by block
};

// Replaces the counts by the places where each begins. Returns their sum.
template <class Rank> int64_t placesOf(std::span<Rank> counts) {
  Rank sum = 0;
  for (Rank& count : counts) {
    Rank begin = sum;
    sum = Rank(sum + count);
    count = begin;
  }
  return int64_t(sum);
}

class Blocks {
public:
  Blocks(const bsgp_partition& partition, int64_t threads, uint32_t rank_bits, PartitionHost& host)
      : partition_(partition), rank_bits_(rank_bits),
        chunks_((threads + BSGP_PARTITION_CHUNK - 1) / BSGP_PARTITION_CHUNK), host_(host),
        counts_(size_t(chunks_) * rank_bits / 8 / sizeof(uint64_t) + 1) {}

  int32_t run() {
    Worklist work(partition_);
    work.addBehind(0);
    while (uint32_t block = work.take()) {
      int64_t threads = 0;
      if (int32_t status = runOne(block, threads))
        return status;
      if (threads > 0)
        work.addBehind(block);
    }
    return BSGP_OK;
  }

private:
  // Sets the number of threads that the block ran for: its completion count.
  int32_t runOne(uint32_t block, int64_t& threads) {
    if (int32_t status = host_.look())
      return status;
    if (int32_t status = list(block, threads); status || threads == 0)
      return status;
    return host_.launch(partition_.first + block, threads, block);
  }

  int32_t list(uint32_t block, int64_t& threads) {
    size_t bytes = size_t(chunks_) * (rank_bits_ / 8);
    int32_t status = host_.launch(partition_.first + partition_.blocks, chunks_, block);
    if (!status)
      status = host_.readStream(partition_.counts, counts_.data(), bytes);
    if (!status)
      status = host_.look(); // a kernel behind a failure has counted nothing
    if (status)
      return status;
    threads = sum();
    if (threads == 0)
      return BSGP_OK;
    status = host_.writeStream(partition_.counts, counts_.data(), bytes);
    return status ? status : host_.launch(partition_.first + partition_.blocks + 1, chunks_, block);
  }

  int64_t sum() {
    if (rank_bits_ == 64)
      return placesOf(std::span(reinterpret_cast<int64_t*>(counts_.data()), size_t(chunks_)));
    return placesOf(std::span(reinterpret_cast<int32_t*>(counts_.data()), size_t(chunks_)));
  }

  const bsgp_partition& partition_;
  const uint32_t rank_bits_;
  const int64_t chunks_;
  PartitionHost& host_;
  std::vector<uint64_t> counts_; // of each chunk
};

} // namespace

int32_t runBlocks(const bsgp_partition& partition, int64_t threads, uint32_t rank_bits, PartitionHost& host) {
  return threads == 0 ? int32_t(BSGP_OK) : Blocks(partition, threads, rank_bits, host).run();
}

} // namespace bsgp::runtime
