//===- ParallelBodies.cpp - The bodies of parallel loops ------------------===//

#include "ParallelBodies.h"

#include "tally/Runtime/RuntimeFunctions.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

MapVector<Function *, SmallVector<Use *>>
tally::findParallelBodies(Module &module) {
  MapVector<Function *, SmallVector<Use *>> bodies;
  SmallPtrSet<Function *, 2> callers;
  for (StringRef name : {tally::runtime_functions::kParallelFor.name,
                         tally::runtime_functions::kHostAttention.name,
                         tally::runtime_functions::kHostMatmulComputed.name})
    if (Function *caller = module.getFunction(name))
      callers.insert(caller);
  if (callers.empty())
    return bodies;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallBase>(&instruction);
      if (!call || !callers.contains(call->getCalledFunction()))
        continue;
      for (Use &argument : call->args())
        if (auto *body = dyn_cast<Function>(argument.get());
            body && !body->isDeclaration())
          bodies[body].push_back(&argument);
    }
  return bodies;
}
