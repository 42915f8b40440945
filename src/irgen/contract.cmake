# The contract is a library of its own: bsp and the targets use it without the rest of irgen.
bsgp_llvm_folder(contract SOURCES ${CMAKE_CURRENT_LIST_DIR}/contract.cpp LIBS fmt::fmt)
