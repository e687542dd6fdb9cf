// SPDX-License-Identifier: BSD-3-Clause
// Debian has Kerberos as a shared library alone, and libgit2 asks it for logins of HTTP servers (Negotiate). In a
// program that is linked statically each of its functions says that there is none (GSS_S_UNAVAILABLE, RFC 2744), and
// libgit2 that the login failed. Where there is a git program, it fetches, with its own.
#ifdef TORCHPATCH_STATIC

namespace {
constexpr unsigned kUnavailable = 16U << 16;
}

// The arguments differ, and none is looked at.
extern "C" {
void* GSS_C_NT_HOSTBASED_SERVICE = nullptr;
unsigned gss_delete_sec_context() { return kUnavailable; }
unsigned gss_display_status() { return kUnavailable; }
unsigned gss_import_name() { return kUnavailable; }
unsigned gss_indicate_mechs() { return kUnavailable; }
unsigned gss_init_sec_context() { return kUnavailable; }
unsigned gss_release_buffer() { return kUnavailable; }
unsigned gss_release_name() { return kUnavailable; }
unsigned gss_release_oid_set() { return kUnavailable; }
}
#endif
