// The contract between irgen, bsp and the targets: everything about supersteps that LLVM IR does not know is one of the
// functions declared here. irgen makes them (spawns.h), bsp's split removes most, and the targets lower the rest
// (kernels.h).
//
// The folder `ir` is the language of the middle, and no phase: these functions, the form before the split and the one
// behind it, names and positions that lead back to the program's text, which superstep an instruction belongs to, which
// values need no loading, and a verifier of each form. It makes and changes no code; cutAtBarriers alone divides blocks.
//
// A spawn leaves irgen as one function `void @spawn.N()` that holds all its supersteps:
//
//   enter:    %e1 = call i32 @bsgp.enter()                     first instruction; the epoch of superstep 1
//             %v1 = call i32 @bsgp.require(i32 0)              where require 0 stands; it runs before the superstep
//             %r  = call i32 @bsgp.rank.i32(i32 %e1)           thread.rank under the numbering of that epoch
//             %n  = call i32 @bsgp.size.i32(i32 %e1)           thread.size in that superstep
//             %p  = call ptr addrspace(1) @bsgp.param.p1(i32 3, i32 %v1)   host variable slot 3, as of that version
//             %s  = call i32 @bsgp.snapshot.i32(i32 %v, i32 0) just before a barrier, for thread.get after it
//             %e2 = call i32 @bsgp.barrier(i32 1)              ends superstep 1; the epoch of superstep 2
//             %g  = call i32 @bsgp.get.i32(i32 %rank, i32 %s)  value of %v in thread %rank at the last barrier
//             call void @bsgp.put.mark.i32(i32 %r2, i32 0)     thread %r2 receives put 0 ...
//             call void @bsgp.put.f32(i32 %r2, i32 0, float %x)   ... whose part 0 is %x
//             %e3 = call i32 @bsgp.barrier.reassign(i32 2)
//             call void @bsgp.oldrank.i32(i32 %o)              exactly one after each reassign; values are moved here
//             %h  = call i1 @bsgp.put.landed(i32 %e3, i32 0)   did this thread receive put 0? After oldrank, if reassigned
//             %x2 = call float @bsgp.put.value.f32(i32 %e3, i32 0)
//             call void @bsgp.assert(i1 %c, ptr @site)         false: the thread ends, the launch fails
//             call void (ptr, ...) @bsgp.print(ptr @format, i64 ...)   8-byte slots
//             call void @bsgp.block.sync()                     all threads of the block get here before one goes on
//             ret void
//
// Barrier ids are 1, 2, 3, ... in the order of the program's text: barrier k begins superstep k+1.
//
// The host may decide which superstep comes next. Such control flow is the only one around barriers, and each of its
// edges is one: a block that a branch enters, or at which edges join, begins with a barrier.
//
//             %w = call i32 @bsgp.decide(i32 0)            at the end of a superstep; a br or switch is its only user
//             switch i32 %w, label %way.1 [ i32 0, label %way.0 ]
//   way.0:    %e4 = call i32 @bsgp.barrier(i32 3)          a superstep; its end branches to a block where edges join
//   way.1:    %x3 = phi float ...                          where edges join, only phis stand before the barrier
//             %e5 = call i32 @bsgp.barrier(i32 4)
//             %e5 = call i32 @bsgp.barrier.meet(i32 4)     or this: the edges have different numberings
//
// A numbering of the threads begins with enter, barrier.reassign and barrier.meet; rank and size name it by its
// epoch. Ids of snapshots, puts, put parts and decides are unique in the spawn. Rank functions are .i32 or .i64 by
// the spawn's rank type. Type suffixes: i8 i16 i32 i64 f16 f32 f64 p0 (host, private) p1 (device) p3 (shared); bool
// is i8 in param/snapshot/put and i1 elsewhere. Vectors and structs never appear: irgen works on their scalars.
//
// Threads stand in blocks of plan::Plan::block consecutive ranks, B; the last one may have fewer. A thread's place in
// its block is `urem rank, B`, its block `udiv rank, B`: no pass before the targets writes that otherwise. block.sync
// stands where all threads of a block come by the same path, in loops too, never on a path that some of them take.
// Memory that the threads of a block share is an internal global in kSharedSpace, initially undefined in each
// superstep; one that two supersteps name is another in each.
//
// For a GPU only, there are operations on the threads of a warp: 32 consecutive ranks of a block from its first one
// on. They stand where all threads of the warp that have not ended come by together, and stay in their superstep. A
// warp's memory is in order after bsgp.warp.sync alone.
//
//             %x = call i32 @bsgp.warp.shuffle.i32(i32 %v, i32 %lane)   i32 or i64; the %v of thread %lane, 0 to 31,
//                                                          of the warp, undefined if there is none
//             %m = call i32 @bsgp.warp.ballot(i1 %c)       bit k: the %c of thread k; 0 where there is none
//             call void @bsgp.warp.sync()
//
// For a GPU, there are also operations on tiles: a GPU runs up to 8 blocks of a spawn, one behind the other between
// two block.syncs, in one block of its own. They give the same for all threads of a block. They stay in their
// superstep, where a call may stand anywhere; in a kernel they are functions of nothing. A shared global with the
// attribute "bsgp.tile" is one for all blocks of the tile.
//
//             %k = call i32 @bsgp.tile.rank()              number of the block in its tile, from 0
//             %m = call i32 @bsgp.tile.size()              how many blocks the tile has
//             %t = call i64 @bsgp.tile.id()                number of the tile
//
// For a CPU only, the threads of a superstep append values to memory, in the order of their ranks. %to is a parameter
// that leads to a bsgp_append of plan_abi.h; in a kernel it leads to the place where the next value goes.
//
//             call void @bsgp.append.i32(ptr addrspace(1) %to, i32 %v, i1 %keep)   i8 to i64; where %keep holds
//             %at = call i64 @bsgp.append.take(ptr addrspace(1) %to, i64 %bytes)   the address of so many bytes, which
//                                                          the thread writes itself
//
// The target makes of a vector of threads one call of @bsgp.append.v8i32 and its like.
//
// After bsp each superstep is a scalar thread function `void @spawn.N.k(...)`, one argument per plan::Param of its
// plan::Kernel; inside it only @bsgp.rank.iN(i32 0) (the thread's rank), @bsgp.assert, @bsgp.print,
// @bsgp.block.sync, those of warps and tiles and the appends are left. The target turns it into a loop over ranks.
//
// Code that watches itself (src/check) also has these. @site is a bsgp_check_site of plan/check_abi.h. They change no
// memory that the program names; a target lowers each to a call of the runtime.
//
//             %q = call ptr addrspace(1) @bsgp.check.access.p1(ptr addrspace(1) %p, ptr addrspace(1) %base, ptr @site)
//                                                          %p, or an address that does no harm if the access at %p,
//                                                          which was computed from %base, must not be done
//             call void @bsgp.check.value(i1 %bad, i32 kind, i64 %value, i64 limit, ptr @site)   reports if %bad holds
//             %w = call i1 @bsgp.check.is_written.p1(ptr addrspace(1) %p, ptr @site)   were all bytes written?
//             call void @bsgp.check.set_written.p1(ptr addrspace(1) %p, i1 %w, ptr @site)
//             call void @bsgp.check.put(i64 %target, i32 put, ptr @site)     beside put.mark
//             call void @bsgp.check.block_sync()                             before block.sync; likewise warp_sync, fence
//             %u = call i32 @bsgp.check.undefined.i32()    an undefined value; from irgen to src/check
//             call void @bsgp.check.unset(ptr %a, i64 n)   the n bytes at %a are unset, of an alloca or the frame of
//                                                          a host function; likewise
//
// Host functions are `i32 @f(ptr %call, args..., ptr %result)`, 0 = done (plan_abi.h); they run a spawn with
// `call i32 @bsgp_rt_run(ptr %call, ptr @plan.N, ptr %frame)`, where @plan.N is an external constant that the target
// defines.
#pragma once

#include <string>

#include <llvm/IR/Instruction.h>
#include <llvm/IR/Module.h>

namespace bsgp::ir {

enum class Op {
  None, // not one of ours
  Enter,
  Barrier,
  Reassign,
  Meet,
  Decide,
  Require,
  Rank,
  Size,
  OldRank,
  Param,
  Snapshot,
  Get,
  PutMark,
  Put,
  PutLanded,
  PutValue,
  Assert,
  Print,
  BlockSync,
  WarpShuffle,
  WarpBallot,
  WarpSync,
  TileRank,
  TileSize,
  TileId,
  Append,
  AppendTake,
  CheckAccess,
  CheckValue,
  CheckIsWritten,
  CheckSetWritten,
  CheckPut,
  CheckBlockSync,
  CheckWarpSync,
  CheckFence,
  CheckUndefined,
  CheckUnset,
};

constexpr unsigned kDeviceSpace = 1, kSharedSpace = 3;
constexpr const char* kOfTile = "bsgp.tile";       // attribute of a shared global
constexpr const char* kDeclared = "bsgp.declared"; // metadata of globals, for src/check: element type, its bytes, place
constexpr const char* kOfHost = "bsgp.host";       // attribute of a watched host function or require

inline bool isBarrier(Op op) {
  return op == Op::Barrier || op == Op::Reassign || op == Op::Meet;
}
inline bool isCheck(Op op) {
  return op >= Op::CheckAccess;
}
inline bool isOfTile(Op op) {
  return op == Op::TileRank || op == Op::TileSize || op == Op::TileId;
}

inline bool appends(Op op) {
  return op == Op::Append || op == Op::AppendTake;
}

// Returns the operation that a call is, by the callee's name.
Op opOf(const llvm::Instruction& instruction);
// Finds the operation by the longest of our names that the name begins with: "bsgp.put.value.f32" is "bsgp.put.value"
// of floats.
Op opNamed(llvm::StringRef name);

// Declares (once per module) and returns the function, with the attributes of the contract. `type` is the overloaded
// type: rank type for Rank, Size, OldRank, PutMark; value type for Param, Snapshot, Get, Put, PutValue, WarpShuffle,
// Append (of a target, a vector, too), CheckUndefined; the pointer's for CheckAccess, CheckIsWritten,
// CheckSetWritten; else ignored. Get, Put also depend on the rank type: their first argument.
llvm::FunctionCallee declare(llvm::Module& module, Op op, llvm::Type* type = nullptr, llvm::Type* rank_type = nullptr);

// Returns the function of the runtime that a check of threads becomes, or one of host code: plan/check_abi.h has
// their arguments.
std::string runtimeFunctionOf(Op check, bool of_host = false);

// In a kernel that runs for a list of threads (plan::Partition), `rank` is the number of the thread in the list, and the thread's
// rank is a value that was loaded from it: failures name that one.
void markListedRank(llvm::Instruction& rank);
llvm::Instruction* listedRankIn(llvm::ArrayRef<llvm::BasicBlock*> blocks); // null: there is none

// Drops those of the functions that are no longer called.
void dropUnusedDeclarations(llvm::Module& module);

} // namespace bsgp::ir
