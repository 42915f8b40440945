#pragma once

#include "harness.h"

namespace bench {

void readAll(Work& work); // keys
void copyAll(Work& work); // keys to out, the fastest way for the size

} // namespace bench
