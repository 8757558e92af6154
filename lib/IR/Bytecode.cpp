//===- Bytecode.cpp - The version of the dialect in bytecode --------------===//

#include "Bytecode.h"

#include "tally/IR/Bytecode.h"
#include "tally/IR/Tally.h"

using namespace mlir;
using namespace tally;

namespace {
struct TallyBytecodeInterface : public BytecodeDialectInterface {
  explicit TallyBytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  /// Writes the current version, or the one that the writer was told.
  void writeVersion(DialectBytecodeWriter &writer) const final {
    FailureOr<const DialectVersion *> told =
        writer.getDialectVersion<TallyDialect>();
    writer.writeVarInt(
        succeeded(told)
            ? static_cast<const TallyDialectVersion *>(*told)->number
            : TallyDialectVersion::kCurrent);
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
};
} // namespace

void tally::detail::addBytecodeInterface(Dialect &dialect) {
  dialect.addInterfaces<TallyBytecodeInterface>();
}
