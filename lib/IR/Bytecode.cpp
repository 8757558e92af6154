//===- Bytecode.cpp - The dialect in bytecode -----------------------------===//

#include "Bytecode.h"

#include "tally/IR/Bytecode.h"
#include "tally/IR/Tally.h"
#include "llvm/ADT/TypeSwitch.h"

#include <array>

using namespace mlir;
using namespace tally;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

namespace {

/// The kind of an attribute, with which it starts. Stored files have these
/// numbers.
enum class AttributeCode : uint64_t {
  Expr = 0,
  Shape = 1,
  SymbolDecl = 2,
  Symbols = 3,
  Binding = 4,
  Bindings = 5,
  Path = 6,
};

/// Bits of what is declared of a symbol; the type stands above them.
enum SymbolFlags : uint64_t {
  Unbacked = 1,
  Assumed = 2,
  HasLower = 4,
  HasUpper = 8,
  HasHint = 16,
  FirstTypeBit = 32,
};

/// Writes one attribute. What it consists of is written in place, so that no
/// stream can make an attribute a part of itself.
class AttributeWriter {
public:
  explicit AttributeWriter(DialectBytecodeWriter &writer) : writer(writer) {}

  void write(ExprAttr attr) {
    start(AttributeCode::Expr);
    writeBody(attr);
  }
  void write(ShapeAttr attr) {
    start(AttributeCode::Shape);
    writeList(attr.getSizes());
  }
  void write(SymbolDeclAttr attr) {
    start(AttributeCode::SymbolDecl);
    writeBody(attr);
  }
  void write(SymbolsAttr attr) {
    start(AttributeCode::Symbols);
    writeList(attr.getSymbols());
  }
  void write(BindingAttr attr) {
    start(AttributeCode::Binding);
    writeBody(attr);
  }
  void write(BindingsAttr attr) {
    start(AttributeCode::Bindings);
    writeList(attr.getBindings());
  }
  void write(PathAttr attr) {
    start(AttributeCode::Path);
    writeKeyPath(attr.getArgument(), attr.getKind(), attr.getDim());
  }

private:
  void start(AttributeCode code) {
    writer.writeVarInt(static_cast<uint64_t>(code));
  }

  template <typename AttrT>
  void writeList(ArrayRef<AttrT> elements) {
    writer.writeVarInt(elements.size());
    for (AttrT element : elements)
      writeBody(element);
  }

  void writeBody(ExprAttr attr) { writer.writeOwnedString(attr.getText()); }

  void writeBody(SymbolDeclAttr attr) {
    writer.writeOwnedString(attr.getName());
    writer.writeVarInt(
        (attr.getUnbacked() ? Unbacked : 0) |
        (attr.getAssumed() ? Assumed : 0) | (attr.getLower() ? HasLower : 0) |
        (attr.getUpper() ? HasUpper : 0) | (attr.getHint() ? HasHint : 0) |
        static_cast<uint64_t>(attr.getType()) * FirstTypeBit);
    for (std::optional<int64_t> number :
         {attr.getLower(), attr.getUpper(), attr.getHint()})
      if (number)
        writer.writeSignedVarInt(*number);
    writer.writeSignedVarInt(attr.getDivisor());
    writer.writeOwnedString(attr.getSource());
  }

  void writeBody(BindingAttr attr) {
    writer.writeOwnedString(attr.getSymbol());
    writeKeyPath(attr.getResult(), attr.getKind(), attr.getDim());
    writer.writeSignedVarInt(attr.getDivisor());
  }

  void writeKeyPath(unsigned root, KeyPathKind kind, unsigned dim) {
    writer.writeVarInt(root);
    writer.writeVarInt(static_cast<uint64_t>(kind));
    writer.writeVarInt(dim);
  }

  DialectBytecodeWriter &writer;
};

/// Reads one attribute. Every method gives null, or fails, after an error.
class AttributeReader {
public:
  explicit AttributeReader(DialectBytecodeReader &reader) : reader(reader) {}

  Attribute read() {
    uint64_t code;
    if (failed(reader.readVarInt(code)))
      return {};
    switch (static_cast<AttributeCode>(code)) {
    case AttributeCode::Expr:
      return readBody(ExprAttr());
    case AttributeCode::Shape:
      return readShape();
    case AttributeCode::SymbolDecl:
      return readBody(SymbolDeclAttr());
    case AttributeCode::Symbols:
      return readTable<SymbolsAttr, SymbolDeclAttr>();
    case AttributeCode::Binding:
      return readBody(BindingAttr());
    case AttributeCode::Bindings:
      return readTable<BindingsAttr, BindingAttr>();
    case AttributeCode::Path:
      return readPath();
    }
    reader.emitError() << "the tally dialect has no attribute of code " << code;
    return {};
  }

private:
  /// The attribute, if it is a valid one.
  template <typename AttrT, typename... Args>
  AttrT get(Args &&...args) {
    return AttrT::getChecked([&] { return reader.emitError(); },
                             reader.getContext(), std::forward<Args>(args)...);
  }

  /// Reads until the bytes are at an end at the latest: the number of elements
  /// may be anything.
  template <typename AttrT>
  LogicalResult readList(SmallVectorImpl<AttrT> &elements) {
    uint64_t size;
    if (failed(reader.readVarInt(size)))
      return failure();
    for (uint64_t i = 0; i < size; ++i) {
      elements.push_back(readBody(AttrT()));
      if (!elements.back())
        return failure();
    }
    return success();
  }

  template <typename TableT, typename AttrT>
  TableT readTable() {
    SmallVector<AttrT> elements;
    return succeeded(readList(elements)) ? get<TableT>(ArrayRef(elements))
                                         : TableT();
  }

  ShapeAttr readShape() {
    SmallVector<ExprAttr> sizes;
    return succeeded(readList(sizes))
               ? ShapeAttr::get(reader.getContext(), sizes)
               : ShapeAttr();
  }

  ExprAttr readBody(ExprAttr) {
    StringRef text;
    return succeeded(reader.readString(text)) ? get<ExprAttr>(text)
                                              : ExprAttr();
  }

  LogicalResult readOptional(bool isThere, std::optional<int64_t> &number) {
    int64_t value;
    if (!isThere)
      return success();
    if (failed(reader.readSignedVarInt(value)))
      return failure();
    number = value;
    return success();
  }

  SymbolDeclAttr readBody(SymbolDeclAttr) {
    StringRef name, source;
    uint64_t flags;
    std::optional<int64_t> lower, upper, hint;
    int64_t divisor;
    if (failed(reader.readString(name)) || failed(reader.readVarInt(flags)) ||
        failed(readOptional(flags & HasLower, lower)) ||
        failed(readOptional(flags & HasUpper, upper)) ||
        failed(readOptional(flags & HasHint, hint)) ||
        failed(reader.readSignedVarInt(divisor)) ||
        failed(reader.readString(source)))
      return {};
    std::optional<SymbolType> type;
    if (uint64_t number = flags / FirstTypeBit; number <= UINT32_MAX)
      type = symbolizeSymbolType(static_cast<uint32_t>(number));
    if (!type) {
      reader.emitError() << "symbol '" << name << "' has flags that are not "
                         << "known: " << flags;
      return {};
    }
    return get<SymbolDeclAttr>(name, bool(flags & Unbacked), *type, lower,
                               upper, divisor, hint, source,
                               bool(flags & Assumed));
  }

  BindingAttr readBody(BindingAttr) {
    StringRef symbol;
    unsigned result, dim;
    KeyPathKind kind;
    int64_t divisor;
    if (failed(reader.readString(symbol)) ||
        failed(readKeyPath(result, kind, dim)) ||
        failed(reader.readSignedVarInt(divisor)))
      return {};
    return get<BindingAttr>(symbol, result, kind, dim, divisor);
  }

  LogicalResult readKeyPath(unsigned &root, KeyPathKind &kind, unsigned &dim) {
    uint64_t numbers[3];
    for (uint64_t &number : numbers) {
      if (failed(reader.readVarInt(number)))
        return failure();
      if (number > UINT32_MAX)
        return reader.emitError()
               << "a key path has a number that is too large: " << number;
    }
    std::optional<KeyPathKind> known =
        symbolizeKeyPathKind(static_cast<uint32_t>(numbers[1]));
    if (!known)
      return reader.emitError()
             << "a key path has a step that is not known: " << numbers[1];
    root = static_cast<unsigned>(numbers[0]);
    kind = *known;
    dim = static_cast<unsigned>(numbers[2]);
    return success();
  }

  PathAttr readPath() {
    unsigned argument, dim;
    KeyPathKind kind;
    if (failed(readKeyPath(argument, kind, dim)))
      return {};
    return PathAttr::get(reader.getContext(), argument, kind, dim);
  }

  DialectBytecodeReader &reader;
};

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

/// The version that is read, or written: what the writer was told, or the
/// current one.
template <typename ReaderOrWriter>
uint64_t getVersion(ReaderOrWriter &bytecode) {
  FailureOr<const DialectVersion *> told =
      bytecode.template getDialectVersion<TallyDialect>();
  return succeeded(told)
             ? static_cast<const TallyDialectVersion *>(*told)->number
             : TallyDialectVersion::kCurrent;
}

struct TallyBytecodeInterface : public BytecodeDialectInterface {
  explicit TallyBytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  void writeVersion(DialectBytecodeWriter &writer) const final {
    writer.writeVarInt(getVersion(writer));
  }

  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &reader) const final {
    uint64_t number;
    if (failed(reader.readVarInt(number)))
      return nullptr;
    if (number > TallyDialectVersion::kCurrent) {
      reader.emitError() << "the bytecode is of version " << number
                         << " of the tally dialect, and this Tally reads "
                            "versions up to "
                         << TallyDialectVersion::kCurrent;
      return nullptr;
    }
    return std::make_unique<TallyDialectVersion>(number);
  }

  /// Fails for a reader that takes attributes as text only; MLIR writes that
  /// then.
  LogicalResult writeAttribute(Attribute attr,
                               DialectBytecodeWriter &writer) const final {
    if (getVersion(writer) < TallyDialectVersion::kBinaryAttributes)
      return failure();
    return TypeSwitch<Attribute, LogicalResult>(attr)
        .Case<ExprAttr, ShapeAttr, SymbolDeclAttr, SymbolsAttr, BindingAttr,
              BindingsAttr, PathAttr>([&](auto known) {
          AttributeWriter(writer).write(known);
          return success();
        })
        .Default([](Attribute) { return failure(); });
  }

  Attribute readAttribute(DialectBytecodeReader &reader) const final {
    return AttributeReader(reader).read();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Properties of operations that have changed
//===----------------------------------------------------------------------===//

/// How many operands are which: `a`, `b`, the elements that a prologue gets,
/// one for each map, the bias, and `c`.
static std::array<int32_t, 5> getMatmulSegments(ArrayAttr maps, bool hasBias) {
  auto elements = maps ? static_cast<int32_t>(maps.size()) : 0;
  return {1, 1, elements, hasBias ? 1 : 0, 1};
}

LogicalResult MatmulOp::readProperties(DialectBytecodeReader &reader,
                                       OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  if (failed(reader.readOptionalAttribute(properties.fallback)) ||
      failed(reader.readOptionalAttribute(properties.transpose_a)) ||
      failed(reader.readOptionalAttribute(properties.transpose_b)))
    return failure();
  if (getVersion(reader) >= TallyDialectVersion::kPrologues &&
      failed(reader.readOptionalAttribute(properties.maps)))
    return failure();
  bool hasBias = false;
  if (getVersion(reader) >= TallyDialectVersion::kEpilogues &&
      (failed(reader.readOptionalAttribute(properties.relu)) ||
       failed(reader.readBool(hasBias))))
    return failure();
  properties.operandSegmentSizes = getMatmulSegments(properties.maps, hasBias);
  return success();
}

/// The maps belong to a prologue, and the last two to a bias and a ReLU, which
/// no earlier version reads.
void MatmulOp::writeProperties(DialectBytecodeWriter &writer) {
  const Properties &properties = getProperties();
  writer.writeOptionalAttribute(properties.fallback);
  writer.writeOptionalAttribute(properties.transpose_a);
  writer.writeOptionalAttribute(properties.transpose_b);
  if (getVersion(writer) >= TallyDialectVersion::kPrologues)
    writer.writeOptionalAttribute(properties.maps);
  if (getVersion(writer) < TallyDialectVersion::kEpilogues) {
    if (hasEpilogue())
      emitOpError("loses its bias or 'relu' in bytecode of version ")
          << getVersion(writer) << " of the dialect; write version "
          << TallyDialectVersion::kEpilogues << " or later";
    return;
  }
  writer.writeOptionalAttribute(properties.relu);
  writer.writeOwnedBool(static_cast<bool>(getBias()));
}

void tally::detail::addBytecodeInterface(Dialect &dialect) {
  dialect.addInterfaces<TallyBytecodeInterface>();
}
