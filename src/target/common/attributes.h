// The marks by which passes of the CPU target talk to each other, on what they stand, and who sets and reads them.
//
// | attribute of a function | value | set by | read by |
// |---|---|---|---|
// | kKernelAttribute | | lower_kernels, block_kernel | verifier, optimize, code_parts, machine |
// | kBlockSizeAttribute | threads of a block | lower_kernels, block_kernel | blockSizeOf, streaming_stores |
// | kWidthAttribute | threads at once | lower_kernels | optimize |
// | kBlockByBlockAttribute | | block_kernel | optimize, vectorize_lanes, parallel_accesses, shared_columns, shared_registers |
// | kPartBlockAttribute | | block_kernel | optimize |
// | kVectorizedAttribute | | vectorize_lanes | parallel_accesses |
// | kFormsAttribute | a variable's name | lower_kernels | vectorize_lanes, code_parts, two_forms |
// | kAloneAttribute | a function's name | two_forms | optimize, vectorize_lanes, two_forms |
// | kWavefrontAttribute | a function's name | two_forms | optimize, wavefront, two_forms |
// | kSideBySideAttribute | lanes of several vectors | vectorize_lanes | side_by_side |
// | kDroppedAttribute | | wavefront, vectorize_lanes | two_forms |
//
// | metadata | on | set by | read by |
// |---|---|---|---|
// | kLanes | a loop, an alloca | region_loop; block_kernel, shared_memory, private_arrays, lane_row_stores | parallel_accesses, shared_* |
// | kPlaces | a loop | place_loop | vectorize_lanes |
// | kProvenCheck | a call that checks | check_rows | check_calls |
// | kStreams | a store; the number of an argument | streaming_stores | streaming_stores |
#pragma once

namespace bsgp::target {

// The function has a loop over ranks: it goes through the passes of kernels.
inline constexpr char kKernelAttribute[] = "bsgp-ranks";
// The threads of a block. They run ranks from a multiple of it on.
inline constexpr char kBlockSizeAttribute[] = "bsgp-block-size";
// How many threads are to run at once, where the program says so.
inline constexpr char kWidthAttribute[] = "bsgp-width";
// The outermost loop is one over blocks (block_kernel.h).
inline constexpr char kBlockByBlockAttribute[] = "bsgp-block-by-block";
// The function runs for one block of a launch at most: it is vectorized by the fewest passes.
inline constexpr char kPartBlockAttribute[] = "bsgp-rarely";
// The one loop over threads runs vectors of them, by the vectorizer of whole functions. Other outermost loops belong to the threads of
// the last vector.
inline constexpr char kVectorizedAttribute[] = "bsgp-vectorized";
// The function may have two forms; the variable of the module (bsgp_forms) has the choice of the runtime.
inline constexpr char kFormsAttribute[] = "bsgp-forms";
// The function is the form for threads one by one of the function with that name.
inline constexpr char kAloneAttribute[] = "bsgp-alone";

// The function is the form of the function with that name in which threads take the places of those that left a loop.
inline constexpr char kWavefrontAttribute[] = "bsgp-wavefront";
// Vectors of so many lanes stand for several ones, side by side.
inline constexpr char kSideBySideAttribute[] = "bsgp-side-by-side";
// The function is a form that could not be made.
inline constexpr char kDroppedAttribute[] = "bsgp-dropped";

// In a kernel that runs block by block: a loop over the lanes of a block, which is not outermost and not known by that; an alloca that no
// loop over lanes uses as its own, such as an array with a part for each lane, and shared memory.
inline constexpr char kLanes[] = "bsgp.lanes";
// Beside kLanes: the loop runs the places of one vector.
inline constexpr char kPlaces[] = "bsgp.places";
// The names of operations on a condition of all lanes begin so, from the pass that makes wavefronts to the vectorizer.
inline constexpr char kLaneVotes[] = "bsgp.lanes.";
// The operation stands in the copy of a kernel whose accesses are proven.
inline constexpr char kProvenCheck[] = "bsgp.proven";
// The store writes past the caches, through that argument.
inline constexpr char kStreams[] = "bsgp.streams";

} // namespace bsgp::target
