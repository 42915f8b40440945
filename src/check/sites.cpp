#include "check/sites.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>

#include "ir/operations.h"

namespace bsgp::check {

using namespace llvm;

namespace {

constexpr size_t kLongestText = 60;

PointerType* pointerOf(Module& module) {
  return PointerType::get(module.getContext(), 0);
}

GlobalVariable* privateConstant(Module& module, Constant* value, const char* name) {
  return new GlobalVariable(module, value->getType(), true, GlobalValue::PrivateLinkage, value, name);
}
using Place = SiteTexts::Place;

Place placeOf(const Instruction& where, const SourceManager& sources) {
  Place place;
  for (const DILocation* location = where.getDebugLoc(); location; location = location->getInlinedAt()) {
    place.at = location->getLine(), place.length = location->getColumn();
    if (!place.at || !sources.ofLibrary({place.at, place.at}))
      return place;
    if (!place.inside)
      place.inside = place.at;
  }
  return place;
}

// The expression as it is written, if it stands on one line.
StringRef textOf(const Place& place, const SourceManager& sources) {
  if (!place.at || place.inside || place.length == 0)
    return "";
  StringRef text = sources.text({place.at, place.at + place.length});
  return text.contains('\n') ? "" : text;
}

// "bins" of "bins[key[i]] += 1".
StringRef nameIn(StringRef text) {
  return text.take_while([](char c) { return isAlnum(c) || c == '_' || c == '.'; });
}

// "bins[0], 1)" of "atomic_add(&bins[0], 1)".
StringRef withoutCall(StringRef text) {
  for (size_t end = nameIn(text).size(); end != 0 && text.substr(end).starts_with("("); end = nameIn(text).size())
    text = text.substr(end).ltrim("( &*");
  return text;
}

// "bins[key[i]].x" of "bins[key[i]].x += 1", "p->next->x" of "p->next->x += 1".
StringRef accessIn(StringRef text) {
  size_t end = nameIn(text).size();
  while (end != 0 && end < text.size()) {
    StringRef rest = text.substr(end);
    if (size_t member = rest.consume_front("->") ? nameIn(rest).size() : 0) {
      end += 2 + member;
      continue;
    }
    if (text[end] != '[')
      break;
    for (unsigned open = 0; end < text.size();) {
      char c = text[end++];
      open += c == '[', open -= c == ']';
      if (open == 0)
        break;
    }
    end += nameIn(text.substr(end)).size();
  }
  return end == 0 ? text : text.take_front(end);
}

// "p->next" of "p->next->x": the pointer of the access, where that names a member; else the name it begins with.
StringRef pointerIn(StringRef text) {
  size_t arrow = text.rfind("->");
  bool ends_there = arrow != StringRef::npos && nameIn(text.substr(arrow + 2)).size() == text.size() - arrow - 2;
  return ends_there ? text.take_front(arrow) : nameIn(text);
}

// "m[2]" of "m[2][i + 1]".
StringRef arrayIn(StringRef text) {
  if (!text.ends_with("]"))
    return nameIn(text);
  size_t at = text.size();
  for (unsigned open = 0; at > 0;) {
    char c = text[--at];
    open += c == ']', open -= c == '[';
    if (open == 0)
      break;
  }
  return text.take_front(at).rtrim();
}

} // namespace

Constant* SiteTexts::text(StringRef text) {
  if (text.empty())
    return ConstantPointerNull::get(pointerOf(module_));
  Constant*& known = texts_[text];
  if (!known) {
    GlobalVariable* made = privateConstant(module_, ConstantDataArray::getString(module_.getContext(), text), "text");
    made->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    known = made;
  }
  return known;
}

Constant* SiteTexts::place(SourcePos at) {
  if (!at)
    return ConstantPointerNull::get(pointerOf(module_));
  Constant*& known = places_[at];
  if (known)
    return known;
  LineColumn place = sources_.at(at);
  Type* i32 = Type::getInt32Ty(module_.getContext());
  Constant* fields[] = {text(place.file), ConstantInt::get(i32, place.line), ConstantInt::get(i32, place.column),
                        text(""), ConstantInt::get(i32, sources_.ofLibrary({at, at}))};
  GlobalVariable* made = privateConstant(module_, ConstantStruct::getAnon(fields), "site");
  made->setAlignment(Align(8));
  return known = made;
}

Constant* SiteTexts::causes(const std::vector<Cause>& causes) {
  if (causes.empty())
    return text("");
  Type* i32 = Type::getInt32Ty(module_.getContext());
  std::vector<Constant*> all;
  for (const Cause& cause : causes) {
    Constant* fields[] = {place(cause.at), text(cause.name), ConstantInt::get(i32, cause.kind),
                          ConstantInt::get(i32, cause.is_sure)};
    all.push_back(ConstantStruct::getAnon(fields));
  }
  all.push_back(Constant::getNullValue(all.front()->getType()));
  Constant* list = ConstantArray::get(ArrayType::get(all.front()->getType(), all.size()), all);
  Constant*& known = causes_[list];
  return known ? known : known = privateConstant(module_, list, "causes");
}

Sites::Sites(SiteTexts& texts, uint32_t checks)
    : texts_(texts), checks_(checks), watched_(ir::watchedIn(texts.module())) {
  array_ = new GlobalVariable(texts.module(), ArrayType::get(type(), 0), true, GlobalValue::ExternalLinkage, nullptr,
                              "checks");
}

StructType* Sites::type() const {
  LLVMContext& context = texts_.module().getContext();
  Type *pointer = pointerOf(texts_.module()), *i8 = Type::getInt8Ty(context), *i32 = Type::getInt32Ty(context);
  return StructType::get(context, {pointer, pointer, pointer, pointer, pointer, pointer, i32, i32, i8, i8, i8, i8, i32,
                                   i32, i32, Type::getInt64Ty(context), pointer});
}

StringRef Sites::textAt(const Instruction& where) const {
  return textOf(placeOf(where, texts_.sources()), texts_.sources());
}

StringRef Sites::callAt(const Instruction& where) const {
  Place place = placeOf(where, texts_.sources());
  place.inside = 0;
  return textOf(place, texts_.sources());
}

SourcePos Sites::callPlaceAt(const Instruction& where) const {
  return placeOf(where, texts_.sources()).at;
}

Constant* Sites::add(const Instruction& where, const Watched& watched, StringRef text) {
  Place place = placeOf(where, texts_.sources());
  return add(place, watched, text.empty() ? textOf(place, texts_.sources()) : text);
}

bool Sites::isPart(const Instruction& part, const Instruction& whole) const {
  Place inner = placeOf(part, texts_.sources()), outer = placeOf(whole, texts_.sources());
  return !inner.inside && inner.length && outer.at <= inner.at && inner.at + inner.length <= outer.at + outer.length;
}

SourcePos Sites::placeAt(const Instruction& where) const {
  Place place = placeOf(where, texts_.sources());
  return place.inside || isOfLibrary(place.at) ? 0 : place.at;
}

bool Sites::isOfLibrary(const Instruction& where) const {
  return placeOf(where, texts_.sources()).inside;
}

// A shuffle may ask for a lane that a warp does not have.
bool Sites::isTrusted(const GlobalVariable& array) const {
  const MDNode* declared = array.getMetadata(ir::kDeclared);
  if (!declared)
    return false;
  auto at = SourcePos(mdconst::extract<ConstantInt>(declared->getOperand(2))->getZExtValue());
  return at && texts_.sources().ofLibrary({at, at}) && ir::watchAt(at, watched_) != Watch::Exchange;
}

Constant* Sites::addPart(const Instruction& whole, const Instruction& part, const Watched& watched) {
  Place place = placeOf(part, texts_.sources());
  StringRef text = textOf(place, texts_.sources());
  place.inside = placeOf(whole, texts_.sources()).inside;
  return add(place, watched, text);
}

Constant* Sites::add(const Place& place, const Watched& watched, StringRef text) {
  if (watched.is_access)
    text = accessIn(withoutCall(text));
  StringRef name = watched.is_index ? arrayIn(text) : watched.is_access ? pointerIn(text) : nameIn(text);
  if (text.size() > kLongestText)
    text = "";
  sites_.push_back({texts_.place(place.at), texts_.place(place.inside), texts_.text(text), texts_.text(name),
                    texts_.text(watched.element), texts_.place(watched.declared), watched});
  Type* i32 = Type::getInt32Ty(texts_.module().getContext());
  Constant* site = ConstantExpr::getGetElementPtr(type(), array_, ConstantInt::get(i32, sites_.size() - 1));
  numbers_[site] = sites_.size() - 1;
  return site;
}

bool Sites::isWatchedAs(Watch watch, const Instruction& where) const {
  const DILocation* location = where.getDebugLoc();
  return location && ir::watchAt(location->getLine(), watched_) == watch;
}

Constant* Sites::constantOf(const Site& site, uint32_t number) const {
  LLVMContext& context = texts_.module().getContext();
  auto i8 = [&](uint64_t value) { return ConstantInt::get(Type::getInt8Ty(context), value); };
  auto i32 = [&](uint64_t value) { return ConstantInt::get(Type::getInt32Ty(context), value); };
  const Watched& w = site.watched;
  uint32_t element_bytes = w.element_bytes ? w.element_bytes : w.bytes;
  return ConstantStruct::get(
      type(), {site.at, site.inside, site.text, site.name, site.element, site.declared, i32(number), i32(sites_.size()),
               i8(w.access), i8(w.space), i8(checks_ & w.checks), i8(w.flags), i32(w.bytes), i32(w.align),
               i32(element_bytes), ConstantInt::get(Type::getInt64Ty(context), w.extent), texts_.causes(w.causes)});
}

void Sites::finish(const Twine& name) {
  std::vector<Constant*> all;
  for (const Site& site : sites_)
    all.push_back(constantOf(site, static_cast<uint32_t>(all.size())));
  GlobalVariable* made =
      privateConstant(texts_.module(), ConstantArray::get(ArrayType::get(type(), all.size()), all), "checks");
  made->setName(name);
  made->setAlignment(Align(8));
  array_->replaceAllUsesWith(made);
  array_->eraseFromParent();
}

} // namespace bsgp::check
