//===- BytecodeTest.cpp - The version of the dialect in bytecode ----------===//

#include "tally/IR/Bytecode.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "tally/IR/Tally.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace {
class BytecodeTest : public testing::Test {
protected:
  BytecodeTest() {
    context.loadDialect<tally::TallyDialect>();
    context.allowUnregisteredDialects();
  }

  /// The bytecode of a module, as of a version of the dialect.
  std::string write(std::optional<uint64_t> version) {
    auto module = parseSourceString<ModuleOp>(
        R"mlir(
module attributes {lab.a = #tally.expr<s0 + 1>} {
  %n = "lab.size"() : () -> index
  %s0 = tally.symbol "s0" = %n : index
})mlir",
        &context);
    BytecodeWriterConfig config("Tally");
    if (version)
      config.setDialectVersion<tally::TallyDialect>(
          std::make_unique<tally::TallyDialectVersion>(*version));
    std::string bytes;
    llvm::raw_string_ostream stream(bytes);
    EXPECT_TRUE(succeeded(writeBytecodeToFile(*module, stream, config)));
    return bytes;
  }

  /// The attribute that is read back; null where reading fails.
  Attribute read(const std::string &bytes) {
    Block block;
    ParserConfig config(&context);
    if (failed(readBytecodeFile(llvm::MemoryBufferRef(bytes, "bytes"), &block,
                                config)))
      return {};
    return block.front().getAttr("lab.a");
  }

  MLIRContext context;
};

TEST_F(BytecodeTest, CarriesTheCurrentVersion) {
  auto attribute = dyn_cast_or_null<tally::ExprAttr>(read(write({})));
  ASSERT_TRUE(attribute);
  EXPECT_EQ(attribute.getText(), "s0 + 1");
  EXPECT_EQ(write({}), write(tally::TallyDialectVersion::kCurrent));
}

TEST_F(BytecodeTest, RefusesALaterVersion) {
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message += diagnostic.str() + "\n";
    return success();
  });
  uint64_t later = tally::TallyDialectVersion::kCurrent + 1;
  EXPECT_FALSE(read(write(later)));
  EXPECT_NE(message.find("of version " + std::to_string(later) +
                         " of the tally dialect, and this Tally reads versions "
                         "up to " +
                         std::to_string(later - 1)),
            std::string::npos)
      << message;
}
} // namespace
