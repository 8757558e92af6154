//===- BytecodeTest.cpp - The dialect in bytecode -------------------------===//

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
bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

class BytecodeTest : public testing::Test {
protected:
  BytecodeTest() {
    context.loadDialect<tally::TallyDialect>();
    context.allowUnregisteredDialects();
  }

  /// The bytecode of a module with an attribute, as of a version of the
  /// dialect.
  std::string write(std::optional<uint64_t> version,
                    StringRef attribute = "#tally.expr<s0 + 1>") {
    std::string text = ("module attributes {lab.a = " + attribute + R"mlir(} {
  %n = "lab.size"() : () -> index
  %s0 = tally.symbol "s0" = %n : index
})mlir")
                           .str();
    auto module = parseSourceString<ModuleOp>(text, &context);
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

  /// What is said of bytes that are not read; the empty string for others.
  std::string getError(const std::string &bytes) {
    std::string message;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      message += diagnostic.str() + "\n";
      return success();
    });
    bool isRead(read(bytes));
    EXPECT_NE(isRead, !message.empty()) << message;
    return message;
  }

  /// What is said of the bytecode of an attribute in which `from`, which occurs
  /// once, is `to`.
  std::string getError(StringRef attribute, StringRef from, StringRef to) {
    std::string bytes = write({}, attribute);
    size_t at = bytes.find(from);
    EXPECT_NE(at, std::string::npos);
    EXPECT_EQ(bytes.find(from, at + 1), std::string::npos);
    return getError(bytes.replace(at, from.size(), to));
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
  uint64_t later = tally::TallyDialectVersion::kCurrent + 1;
  EXPECT_PRED2(contains, getError(write(later)),
               ("of version " + std::to_string(later) +
                " of the tally dialect, and this Tally reads versions "
                "up to " +
                std::to_string(later - 1)));
}

// What has no place in an earlier version is not dropped silently.
TEST_F(BytecodeTest, TellsWhatAnEarlierVersionLoses) {
  auto module = parseSourceString<ModuleOp>(R"mlir(
%a = "lab.matrix"() : () -> memref<4x4xf32>
tally.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%a : memref<4x4xf32>) {relu}
)mlir",
                                            &context);
  ASSERT_TRUE(module);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message += diagnostic.str() + "\n";
    return success();
  });
  for (uint64_t version : {3, 4}) {
    BytecodeWriterConfig config("Tally");
    config.setDialectVersion<tally::TallyDialect>(
        std::make_unique<tally::TallyDialectVersion>(version));
    std::string bytes;
    llvm::raw_string_ostream stream(bytes);
    EXPECT_TRUE(succeeded(writeBytecodeToFile(*module, stream, config)));
  }
  // MLIR asks for properties twice: to number what they refer to, and to write.
  const std::string expected =
      "'tally.matmul' op loses its bias or 'relu' in bytecode of version 3 of "
      "the dialect; write version 4 or later\n";
  EXPECT_EQ(message, expected + expected);
}

TEST_F(BytecodeTest, WritesAttributesInBinary) {
  EXPECT_EQ(write({}).find("#tally.expr"), std::string::npos);
  EXPECT_NE(write(1).find("#tally.expr"), std::string::npos);
  EXPECT_TRUE(isa_and_nonnull<tally::ExprAttr>(read(write(1))));
}

// Of the varints here each is its value times two plus one; signed ones double
// their value before.
TEST_F(BytecodeTest, RefusesMalformedAttributes) {
  StringRef path = "#tally.path<argument(0).stride(1)>";
  StringRef bytes("\x0d\x01\x05\x03", 4);
  EXPECT_PRED2(contains,
               getError(path, bytes, StringRef("\x0f\x01\x05\x03", 4)),
               ("the tally dialect has no attribute of code 7"));
  EXPECT_PRED2(contains,
               getError(path, bytes, StringRef("\x0d\x01\x09\x03", 4)),
               ("a key path has a step that is not known: 4"));
  // Five bytes hold up to 35 bits.
  EXPECT_PRED2(contains,
               getError("#tally.path<argument(0).stride(4294967295)>",
                        StringRef("\xf0\xff\xff\xff\x1f", 5),
                        StringRef("\xf0\xff\xff\xff\xff", 5)),
               ("a key path has a number that is too large: 34359738367"));
  // The flags say that there is a lower bound, which is 0; the divisor is 1.
  StringRef symbol = "#tally.symbol<t0>";
  bytes = StringRef("\x09\x01\x05", 3);
  EXPECT_PRED2(contains, getError(symbol, bytes, StringRef("\xc9\x01\x05", 3)),
               ("symbol 't0' has flags that are not known: 100"));
  EXPECT_PRED2(contains, getError(symbol, bytes, StringRef("\x09\x01\x01", 3)),
               ("the divisor of symbol 't0' must be at least 1, not 0"));
  EXPECT_PRED2(contains, getError("#tally.expr<s0 + t1>", "s0 + t1", "s0 + +*"),
               ("expected"));
}

/// An attribute, and the first bytes and the length of its bytecode.
struct Encoding {
  StringRef attribute, start;
  size_t size;
};

// Whatever the bytes of an attribute are, they are read, or there is an error.
TEST_F(BytecodeTest, SurvivesAnyByte) {
  for (
      Encoding encoding : std::initializer_list<Encoding>{
          {"#tally.shape<s0, t1 * 2>", "\x03\x05\x11\x13", 4},
          {"#tally.path<argument(0).size(2)>", StringRef("\x0d\x01\x03", 3), 4},
          {"#tally.symbols<s0 : [0, 64] % 8 hint 16 from \"x\", u0 : unbacked>",
           "\x07\x05\x11\x39", 14},
          {"#tally.bindings<u0 = result(1).size(0), u1 = result(0) / 4>",
           "\x0b\x05\x13\x03", 12}}) {
    std::string bytes = write({}, encoding.attribute);
    size_t start = bytes.find(encoding.start);
    ASSERT_NE(start, std::string::npos) << encoding.attribute.str();
    ASSERT_EQ(bytes.find(encoding.start, start + 1), std::string::npos)
        << encoding.attribute.str();
    for (size_t at = start; at < start + encoding.size; ++at)
      for (unsigned byte = 0; byte < 256; ++byte) {
        std::string changed = bytes;
        changed[at] = static_cast<char>(byte);
        EXPECT_LE(StringRef(getError(changed)).count('\n'), 1u);
      }
    for (size_t size = 0; size < bytes.size(); ++size)
      EXPECT_NE(getError(bytes.substr(0, size)), "");
  }
}
} // namespace
