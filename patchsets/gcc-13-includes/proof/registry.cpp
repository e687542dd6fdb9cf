// SPDX-License-Identifier: BSD-3-Clause
// Compiled with headers of the standard library that declare what the standard asks of each, and nothing else.
#include REGISTRY
c10::Registry<std::string, int*>* registry;
