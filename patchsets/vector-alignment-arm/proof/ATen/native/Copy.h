// What vec256_base.h of 1.6 and 1.7 includes and does not use; the real one wants generated files.
