//===- LargeConstants.cpp - Constants that stay out of LLVM ---------------===//

#include "LargeConstants.h"

#include "tally/Codegen/Common/EntryPoints.h"
#include "tally/Driver/WriteFile.h"
#include "tally/Runtime/tally_runtime.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ELF.h"
#include "llvm/Object/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace tally;

/// Each constant begins at a multiple of this: a cache line.
static constexpr uint64_t kAlignment = TALLY_RT_HOST_ALIGNMENT;

/// Instructions of x86-64 reach 2 GB, across code and data.
static constexpr uint64_t kNearBytes = uint64_t(1) << 29;

/// The bytes of a global that has nothing else; empty where it is another one.
static ArrayRef<char> getBytes(mlir::LLVM::GlobalOp global) {
  auto resource = dyn_cast_or_null<mlir::DenseResourceElementsAttr>(
      global.getValueOrNull());
  bool isLocal = global.getLinkage() == mlir::LLVM::Linkage::Internal ||
                 global.getLinkage() == mlir::LLVM::Linkage::Private;
  if (!resource || !isLocal || !global.getConstant() ||
      !resource.getElementType().isInteger(8) ||
      global.getAlignment().value_or(1) > kAlignment)
    return {};
  mlir::AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  return blob ? blob->getData() : ArrayRef<char>();
}

LargeConstants::LargeConstants(mlir::ModuleOp module) {
  for (auto global : module.getOps<mlir::LLVM::GlobalOp>()) {
    ArrayRef<char> bytes = getBytes(global);
    if (bytes.empty())
      continue;
    uint64_t offset = alignTo(size, kAlignment);
    constants.push_back(
        {global, global.getValueAttr(), global.getLinkage(), bytes, offset});
    size = offset + bytes.size();
    global.removeValueAttr();
    global.setLinkage(mlir::LLVM::Linkage::External);
  }
}

LargeConstants::~LargeConstants() {
  for (Constant &constant : constants) {
    constant.global.setValueAttr(constant.value);
    constant.global.setLinkage(constant.linkage);
  }
}

void LargeConstants::write(raw_ostream &os) const {
  uint64_t end = 0;
  for (const Constant &constant : constants) {
    os.write_zeros(static_cast<unsigned>(constant.offset - end));
    os.write(constant.bytes.data(), constant.bytes.size());
    end = constant.offset + constant.bytes.size();
  }
}

uint64_t LargeConstants::getHash() const {
  SmallVector<uint64_t> hashes;
  for (const Constant &constant : constants)
    hashes.append({constant.offset,
                   xxh3_64bits(ArrayRef(
                       reinterpret_cast<const uint8_t *>(constant.bytes.data()),
                       constant.bytes.size()))});
  return xxh3_64bits(ArrayRef(reinterpret_cast<const uint8_t *>(hashes.data()),
                              hashes.size() * sizeof(uint64_t)));
}

//===----------------------------------------------------------------------===//
// In code
//===----------------------------------------------------------------------===//

ConstantBlock::ConstantBlock(const LargeConstants &constants, Module &code,
                             StringRef prefix, StringRef file)
    : constants(constants), symbol(getCName(prefix, "")),
      isInFile(!file.empty()), size(constants.getSize()),
      alignment(kAlignment) {
  if (constants.get().empty())
    return;
  // A dot is in no name of C.
  symbol.back() = '.';
  symbol += "constants";
  Triple triple = code.getTargetTriple();
  isFar = triple.getArch() == Triple::x86_64 && size > kNearBytes;
  if (isInFile) {
    // The largest pages that Linux has there.
    alignment = triple.getArch() == Triple::x86_64 ? 1 << 12 : 1 << 16;
    size = alignTo(size, alignment);
    hash = constants.getHash();
  }
  Type *byte = Type::getInt8Ty(code.getContext());
  auto *block = new GlobalVariable(
      code, ArrayType::get(byte, size), /*isConstant=*/true,
      GlobalValue::ExternalLinkage, /*Initializer=*/nullptr, symbol);
  block->setVisibility(GlobalValue::HiddenVisibility);
  block->setAlignment(Align(alignment));
  if (isFar)
    block->setCodeModel(CodeModel::Large);
  for (LargeConstants::Constant constant : constants.get()) {
    GlobalVariable *global = code.getNamedGlobal(constant.global.getSymName());
    Constant *offset =
        ConstantInt::get(Type::getInt64Ty(code.getContext()), constant.offset);
    global->replaceAllUsesWith(ConstantExpr::getInBoundsGetElementPtr(
        byte, static_cast<llvm::Constant *>(block), offset));
    global->eraseFromParent();
  }
  if (isInFile)
    describe(code, file);
}

/// Fills in what the runtime looks for.
void ConstantBlock::describe(Module &code, StringRef file) const {
  GlobalVariable *description = code.getNamedGlobal(kDataDescription);
  auto *type = cast<StructType>(description->getValueType());
  auto *text = ConstantDataArray::getString(code.getContext(),
                                            sys::path::filename(file));
  auto *name =
      new GlobalVariable(code, text->getType(), /*isConstant=*/true,
                         GlobalValue::InternalLinkage, text, "tally_data_name");
  // In the order of tally_rt_data.
  Constant *fields[] = {name,
                        code.getNamedGlobal(symbol),
                        ConstantInt::get(type->getElementType(2), size),
                        ConstantInt::get(type->getElementType(3), hash),
                        ConstantInt::get(type->getElementType(4), 0),
                        ConstantInt::get(type->getElementType(5), 0)};
  description->setInitializer(ConstantStruct::get(type, fields));
}

//===----------------------------------------------------------------------===//
// In files
//===----------------------------------------------------------------------===//

/// The section of an object file that the bytes are put into.
static StringRef getSectionName(bool isFar) {
  return isFar ? ".lrodata.tally" : ".rodata.tally";
}

void ConstantBlock::reserve(Module &code, bool isShared) const {
  if (constants.get().empty())
    return;
  // As text: a definition in IR would tell LLVM that all bytes are 0.
  StringRef section = getSectionName(isFar);
  if (isInFile)
    section = isFar ? ".lbss.tally" : ".bss.tally";
  std::string text;
  raw_string_ostream os(text);
  os << "\t.section " << section << ",\"a" << (isInFile ? "w" : "")
     << (isFar ? "l" : "") << "\",%nobits\n"
     << "\t.balign " << alignment << "\n\t.type " << symbol
     << ",%object\n\t.size " << symbol << ", " << size << "\n";
  if (isShared)
    os << "\t.hidden " << symbol << "\n\t.globl " << symbol << "\n";
  os << symbol << ":\n\t.zero " << size << "\n";
  code.appendModuleInlineAsm(text);
}

/// Finds the header of a section of an object file by its name.
static Expected<const object::ELF64LE::Shdr *>
findSection(const object::ELFFile<object::ELF64LE> &file, StringRef name) {
  auto sections = file.sections();
  if (!sections)
    return sections.takeError();
  for (const object::ELF64LE::Shdr &section : *sections) {
    Expected<StringRef> found = file.getSectionName(section);
    if (!found)
      return found.takeError();
    if (*found == name)
      return &section;
  }
  return errorCodeToError(object::object_error::parse_failed);
}

/// The section has a size and no contents, as if it were all zeros. It gets
/// them at the end of the file.
Error ConstantBlock::fill(StringRef object) const {
  if (isInFile || constants.get().empty())
    return Error::success();
  auto buffer = MemoryBuffer::getFile(object, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createFileError(object, buffer.getError());
  StringRef bytes = (*buffer)->getBuffer();
  auto file = object::ELFFile<object::ELF64LE>::create(bytes);
  if (!file)
    return createFileError(object, file.takeError());
  auto section = findSection(*file, getSectionName(isFar));
  if (!section)
    return createFileError(object, section.takeError());
  object::ELF64LE::Shdr header = **section;
  uint64_t place = reinterpret_cast<const char *>(*section) - bytes.data();
  header.sh_type = ELF::SHT_PROGBITS;
  header.sh_offset = alignTo(bytes.size(), kAlignment);

  std::error_code error;
  raw_fd_ostream os(object, error, sys::fs::CD_OpenExisting, sys::fs::FA_Write,
                    sys::fs::OF_None);
  if (error)
    return createFileError(object, error);
  os.seek(place);
  os.write(reinterpret_cast<const char *>(&header), sizeof(header));
  os.seek(header.sh_offset);
  constants.write(os);
  os.close();
  if (!os.has_error())
    return Error::success();
  error = os.error();
  os.clear_error();
  return createFileError(object, error);
}

Error ConstantBlock::writeFile(StringRef path) const {
  // A process that has mapped the old file keeps it.
  return replaceFile(path, [&](raw_ostream &os) -> Error {
    constants.write(os);
    os.write_zeros(static_cast<unsigned>(size - constants.getSize()));
    tally_rt_data_footer footer = {};
    llvm::copy(StringRef(TALLY_RT_DATA_MAGIC), footer.magic);
    footer.bytes = static_cast<int64_t>(size);
    footer.hash = hash;
    os.write(reinterpret_cast<const char *>(&footer), sizeof(footer));
    return Error::success();
  });
}
