//===- UnbackedBindingOpInterface.cpp - Who makes symbols -----------------===//

#include "tally/Interfaces/UnbackedBindingOpInterface.h"

#include "tally/Interfaces/UnbackedBindingOpInterface.cpp.inc"
