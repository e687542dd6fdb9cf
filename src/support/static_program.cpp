// SPDX-License-Identifier: BSD-3-Clause
#include "support/static_program.h"

#ifdef TORCHPATCH_STATIC
#include <nss.h>
#include <openssl/crypto.h>
#endif

namespace torchpatch {

void keep_to_own_code() {
#ifdef TORCHPATCH_STATIC
  for (const char* database : {"passwd", "group", "services", "protocols"}) __nss_configure_lookup(database, "files");
  __nss_configure_lookup("hosts", "files dns");
  OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
#endif
}

}  // namespace torchpatch
