//===- Array.h - Arrays on the command line ---------------------*- C++ -*-===//
//
// The compact tensors that tally-run passes in, gets back, reads, writes,
// compares and prints.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_TOOLS_TALLYRUN_ARRAY_H
#define TALLY_TOOLS_TALLYRUN_ARRAY_H

#include "tally/Runtime/tally_runtime.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>

namespace tally::run {

/// The data types by name: i1 u8 i8 i16 i32 i64 f16 bf16 f32 f64.
std::optional<DLDataType> parseType(llvm::StringRef name);
std::string printType(DLDataType type);
bool isSameType(DLDataType a, DLDataType b);
bool isFloat(DLDataType type);
int64_t getElementSize(DLDataType type);
/// Rounds to what an element of a floating-point type can hold.
double roundToType(DLDataType type, double value);
/// Returns `f32[3, 4]`.
std::string describeArray(DLDataType type, llvm::ArrayRef<int64_t> shape);
/// The bytes that the elements take; nothing where they are too many.
std::optional<int64_t> countBytes(DLDataType type,
                                  llvm::ArrayRef<int64_t> shape);

/// A compact row-major tensor that owns its memory.
class Array {
public:
  Array() = default;
  /// Allocates; the elements are not initialized. Fails where they do not fit.
  static llvm::Expected<Array> create(DLDataType type,
                                      llvm::ArrayRef<int64_t> shape,
                                      const tally_rt_allocator &allocator);
  /// Takes over the result of a call; complex numbers are pairs of floats.
  static Array take(DLManagedTensor *tensor);

  DLDataType getType() const { return type; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getNumElements() const { return numElements; }
  int64_t getNumBytes() const { return numElements * getElementSize(type); }
  char *getData() const { return data.get(); }

  /// An element as a number of the widest kind.
  int64_t getInt(int64_t index) const;
  double getFloat(int64_t index) const;
  /// Sets an element; rounds to the data type.
  void setInt(int64_t index, int64_t value);
  void setFloat(int64_t index, double value);

  /// A copy with memory of its own.
  llvm::Expected<Array> clone(const tally_rt_allocator &allocator) const;
  /// The tensor for a call; points into this array.
  DLTensor getTensor();
  /// Returns `f32[3, 4]`.
  std::string describe() const { return describeArray(type, shape); }

private:
  DLDataType type = {};
  llvm::SmallVector<int64_t> shape;
  int64_t numElements = 0;
  std::shared_ptr<char> data;
};

/// Prints an array as numpy would.
void printArray(llvm::raw_ostream &os, const Array &array);

/// How far a result may be from what is expected.
struct Tolerance {
  std::optional<double> relative;
  std::optional<double> absolute;
};

/// Compares a result with what is expected of it. Returns why they differ, or
/// nothing. NaNs are equal to NaNs; integers and booleans are compared exactly.
std::optional<std::string> compareArrays(const Array &actual,
                                         const Array &expected,
                                         const Tolerance &tolerance);

/// Reads an .npy file. A file of raw two-byte elements (`V2`, `u2`) is bf16.
llvm::Expected<Array> readNpy(llvm::StringRef path,
                              const tally_rt_allocator &allocator);

/// Reads the content of an .npy file, which messages call `name`.
llvm::Expected<Array> parseNpy(llvm::StringRef name, llvm::StringRef content,
                               const tally_rt_allocator &allocator);

/// Writes an .npy file; bf16 as raw two-byte elements (`V2`).
llvm::Error writeNpy(llvm::StringRef path, const Array &array);

/// Makes an input from the command line: `x.npy`, `f32[3,4]=random`, `i64=3`.
/// A relative path starts at `folder`. `seed` decides random elements.
llvm::Expected<Array> readSpec(llvm::StringRef spec, llvm::StringRef folder,
                               uint64_t seed,
                               const tally_rt_allocator &allocator);

} // namespace tally::run

#endif // TALLY_TOOLS_TALLYRUN_ARRAY_H
