// SPDX-License-Identifier: BSD-3-Clause
// Debian has Kerberos only as a shared library, and libgit2 uses it for logins to HTTP servers (Negotiate). In a
// statically linked program these functions return that it is unavailable (GSS_S_UNAVAILABLE, RFC 2744), so that
// libgit2 reports a failed login. If there is a git program, it fetches, with its own Kerberos.
#ifdef TORCHPATCH_STATIC

namespace {
constexpr unsigned kUnavailable = 16U << 16;
}

// The arguments differ but are not used.
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
