# SPDX-License-Identifier: BSD-3-Clause
"""Fetches over https inside the root $ROOT, from a real server outside of it; run by run.sh in namespaces of its own."""
import os
import shutil
import stat
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "end_to_end"), os.path.join(HERE, "..", "hostile")]

import isolation  # noqa: E402
from transports import SOURCE, World  # noqa: E402

ROOT = os.environ["ROOT"]


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    isolation.bring_up_loopback()
    work = tempfile.mkdtemp(prefix="work.", dir=ROOT + "/tmp")
    same = work[len(ROOT):]  # the same path inside as outside
    os.chmod(work, 0o755)  # servers give up root
    os.makedirs(same)
    try:
        subprocess.run(["mount", "--bind", work, same], check=True)
        program = os.path.join(same, "torchpatch")
        write(program, '#!/bin/sh\nexec %s "%s" /usr/local/bin/torchpatch "$@"\n' % (shutil.which("chroot"), ROOT))
        os.chmod(program, os.stat(program).st_mode | stat.S_IXUSR)
        os.environ.update(TORCHPATCH=program, HOME=same + "/home")
        os.makedirs(same + "/home")
        world = World(same)
        try:
            check(world)
        finally:
            world.servers.stop()
    finally:
        subprocess.run(["umount", "--lazy", same], check=True)
        os.rmdir(same)


def check(w):
    named = w.url("https").replace("127.0.0.1", "localhost")
    authority = w.servers.at("ca.crt")
    with open(authority, encoding="utf-8") as file:
        text = file.read()
    tried = 0

    def run(act, *arguments, **variables):
        nonlocal tried
        w.renew()
        act(*arguments, **{"base": named, **variables})
        tried += 1

    def fails(*says, **variables):
        run(w.fails, SOURCE, *says, **variables)

    fails("ertificate")
    run(w.prepares, SSL_CERT_FILE=authority)
    for server in ("self", "expired", "wrong"):
        fails("ertificate", base=w.url("https", server=server).replace("127.0.0.1", "localhost"), SSL_CERT_FILE=authority)
    brought = w.at("base", "ca-certificates.crt")  # where the archive has Mozilla's
    write(brought, "# Ours\n" + text)
    run(w.prepares)
    os.remove(brought)
    for place in ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"):
        write(ROOT + place, text)
        run(w.prepares)
        os.remove(ROOT + place)
    fails("failed to resolve", base="https://nobody.invalid/")
    print("%d runs as they should be" % tried)


main()
