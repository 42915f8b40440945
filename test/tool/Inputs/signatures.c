#include "signatures_check.h"
