//===- SymbolicShapeOpInterface.cpp - Sizes as expressions ----------------===//

#include "tally/Interfaces/SymbolicShapeOpInterface.h"

#include "tally/Interfaces/SymbolicShapeOpInterface.cpp.inc"
