//===- ParallelBodies.cpp - The bodies of parallel loops ------------------===//

#include "ParallelBodies.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

MapVector<Function *, SmallVector<Use *>>
tally::findParallelBodies(Module &module) {
  MapVector<Function *, SmallVector<Use *>> bodies;
  Function *parallelFor = module.getFunction("tally_rt_parallel_for");
  if (!parallelFor)
    return bodies;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallBase>(&instruction);
      if (!call || call->getCalledFunction() != parallelFor)
        continue;
      for (Use &argument : call->args())
        if (auto *body = dyn_cast<Function>(argument.get());
            body && !body->isDeclaration())
          bodies[body].push_back(&argument);
    }
  return bodies;
}
