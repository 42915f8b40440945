#include "words_check.h"
