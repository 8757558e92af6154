//===- PackedConstants.cpp - Where constants are kept packed --------------===//

#include "PackedConstants.h"
#include "tally/Runtime/tally_runtime.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Endian.h"

#include <array>
#include <cstddef>

using namespace mlir;
using namespace tally::codegen;

/// The words of a fingerprint.
static constexpr size_t kWords =
    sizeof(tally_rt_packed::fingerprint) / sizeof(uint64_t);

using Fingerprint = std::array<uint64_t, kWords>;

namespace {
/// A constant, and what tells the part of it that a buffer is from others.
struct ConstantBuffer {
  memref::GlobalOp global;
  std::string view;
};
} // namespace

/// Returns nothing for a buffer that is no constant.
static std::optional<ConstantBuffer> describe(Value buffer) {
  ConstantBuffer result;
  llvm::raw_string_ostream os(result.view);
  while (!buffer.getDefiningOp<memref::GetGlobalOp>()) {
    auto view = buffer.getDefiningOp<ViewLikeOpInterface>();
    if (!view)
      return std::nullopt;
    // The rest of its operands says which part of the constant it sees.
    for (Value operand : view->getOperands()) {
      APInt number;
      if (operand == view.getViewSource())
        continue;
      if (!matchPattern(operand, m_ConstantInt(&number)))
        return std::nullopt;
      os << number << ' ';
    }
    os << view->getName() << view->getAttrDictionary() << buffer.getType();
    buffer = view.getViewSource();
  }
  auto get = buffer.getDefiningOp<memref::GetGlobalOp>();
  result.global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      get, get.getNameAttr());
  if (!result.global.getConstant())
    return std::nullopt;
  return result;
}

/// The bytes of the elements, or of the one that all are; none where they are
/// not known.
static ArrayRef<char> getBytes(memref::GlobalOp global) {
  Attribute value = global.getInitialValueAttr();
  if (auto dense = dyn_cast_or_null<DenseIntOrFPElementsAttr>(value))
    return dense.getRawData();
  auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(value);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  return blob ? blob->getData() : ArrayRef<char>();
}

/// Zeros where the elements are not known.
static Fingerprint getFingerprint(ConstantBuffer buffer) {
  Fingerprint fingerprint = {};
  ArrayRef<char> bytes = getBytes(buffer.global);
  if (bytes.empty())
    return fingerprint;
  std::string text;
  llvm::raw_string_ostream(text)
      << buffer.view << '\n'
      << buffer.global.getType() << ' ' << bytes.size() << '\n';
  llvm::BLAKE3 hasher;
  hasher.update(text);
  hasher.update(StringRef(bytes.data(), bytes.size()));
  auto hash = hasher.final<sizeof(Fingerprint)>();
  for (auto [index, word] : llvm::enumerate(fingerprint))
    word = llvm::support::endian::read64le(&hash[index * sizeof(uint64_t)]);
  return fingerprint;
}

LLVM::GlobalOp PackedConstants::createPlace(StringRef constant,
                                            ArrayRef<uint64_t> fingerprint) {
  static_assert(offsetof(tally_rt_packed, fingerprint) == sizeof(int64_t) &&
                    sizeof(tally_rt_packed) == (1 + kWords) * sizeof(int64_t),
                "a word that is null, and the fingerprint");
  SmallVector<int64_t> words{0};
  words.append(fingerprint.begin(), fingerprint.end());
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  auto place = LLVM::GlobalOp::create(
      builder, module.getLoc(),
      LLVM::LLVMArrayType::get(builder.getI64Type(), words.size()),
      /*isConstant=*/false, LLVM::Linkage::Internal,
      (constant + "_packed").str(), builder.getI64TensorAttr(words),
      alignof(tally_rt_packed));
  symbols.insert(place);
  return place;
}

LLVM::GlobalOp PackedConstants::find(Value buffer, StringRef use) {
  std::optional<ConstantBuffer> constant = describe(buffer);
  if (!constant)
    return nullptr;
  StringRef name = constant->global.getSymName();
  LLVM::GlobalOp &place = places[(use + " " + constant->view + name).str()];
  if (!place)
    place = createPlace(name, getFingerprint(*constant));
  return place;
}

LLVM::GlobalOp PackedConstants::findComputed(ValueRange buffers,
                                             StringRef use) {
  std::string key = use.str();
  StringRef name;
  for (Value buffer : buffers) {
    std::optional<ConstantBuffer> constant = describe(buffer);
    if (!constant)
      return nullptr;
    key += " " + constant->view + constant->global.getSymName().str();
    if (name.empty())
      name = constant->global.getSymName();
  }
  LLVM::GlobalOp &place = places[key];
  if (!place)
    place = createPlace(name, Fingerprint());
  return place;
}
