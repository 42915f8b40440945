// The rules of verify.h that hold inside of statements and expressions.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "expand/flat.h"

namespace bsgp::expand {

// Pointers, with open addressing: a whole program's nodes go through it.
class NodeSet {
public:
  bool insert(const void* node); // false: it is in already
  bool has(const void* node) const { return slots_[find(node)] == node; }

private:
  size_t find(const void* node) const; // its slot, or the one that it would have
  void grow();
  std::vector<const void*> slots_ = std::vector<const void*>(64);
  size_t used_ = 0;
};

class CodeVerifier {
public:
  // Checks one spawn. The nodes of all spawns go into `nodes`; `host` has the host's variables.
  CodeVerifier(NodeSet& nodes, const NodeSet& host) : nodes_(nodes), host_(host) {}

  void beginSuperstep(const std::vector<Expr*>& snapshots); // that it reads
  void standsBefore(const FlatRequire& require) { stands_.insert(require.id + 1); }
  void device(const Stmt* s);  // of a superstep
  void oldRank(const Stmt* s); // likewise
  void host(const Stmt* s);    // of a require
  void host(const Expr* e);    // the size of the spawn, a test
  bool allRead() const { return reads_.size() == snapshots_->size(); }
  const std::string& violation() const { return violation_; }

private:
  void fail(std::string what) {
    if (violation_.empty())
      violation_ = std::move(what);
  }
  void require(bool holds, const char* what) {
    if (!holds)
      fail(what);
  }
  void statement(const Stmt* s);
  void parts(const Stmt* s);
  void list(const Stmt* s);
  void inlined(const Stmt* s);
  void loop(const Stmt* s);
  void switchOf(const Stmt* s);
  void declare(const Variable* v);
  void expression(const Expr* e);
  void operands(const Expr* e);
  void assigned(const Expr* place);
  void variable(const Expr* e);
  void hostVariable(const Expr* e);
  void call(const Expr* e);
  void function(const Function* f);
  void builtin(const Expr* e);
  void get(const Expr* e);
  void snapshot(const Expr* place);
  void threadPlace(const Expr* place, const char* what);

  NodeSet& nodes_;
  const NodeSet& host_;
  NodeSet declared_, declared_before_; // before: in an earlier superstep
  std::vector<const Variable*> declared_here_;
  NodeSet functions_;
  std::unordered_set<uint32_t> stands_; // versions
  const std::vector<Expr*>* snapshots_ = nullptr;
  std::unordered_set<const Expr*> reads_; // snapshots that a get names
  bool on_device_ = false;
  unsigned loops_ = 0, breakable_ = 0; // around this place
  const Function* function_ = nullptr; // being looked at
  std::string violation_;
};

} // namespace bsgp::expand
