// SPDX-License-Identifier: BSD-3-Clause
/// A program that is linked statically (TORCHPATCH_STATIC, for release archives) runs on systems it was not built for.
#pragma once

namespace torchpatch {

/// Keeps such a program from loading what the system it runs on has for another glibc: names of hosts and users come
/// from files and DNS alone, whatever nsswitch.conf names (mDNS and others), and OpenSSL reads no configuration, which
/// may name providers. Call before these are used. Does nothing in any other program.
void keep_to_own_code();

}  // namespace torchpatch
