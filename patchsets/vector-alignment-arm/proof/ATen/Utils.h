// Of 1.6 and 1.7, likewise, but for the types of numbers that it brings.
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
