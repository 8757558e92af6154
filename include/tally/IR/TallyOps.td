//===- TallyOps.td - Operations of the tally dialect -------*- tablegen -*-===//

#ifndef TALLY_IR_TALLYOPS_TD
#define TALLY_IR_TALLYOPS_TD

include "tally/IR/TallyAttentionOps.td"
include "tally/IR/TallySymbolOps.td"
include "tally/IR/TallyDataDependentOps.td"
include "tally/IR/TallyCustomCallOps.td"
include "tally/IR/TallyHigherOrderOps.td"
include "tally/IR/TallyDeviceOps.td"
include "tally/IR/TallySortOps.td"

#endif // TALLY_IR_TALLYOPS_TD
