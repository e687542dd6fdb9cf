# SPDX-License-Identifier: BSD-3-Clause
"""No network but loopback, and a git daemon on it."""
import ctypes
import fcntl
import os
import signal
import socket
import struct
import subprocess
import time

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
SIOCSIFFLAGS, IFF_UP = 0x8914, 1


def enter_network_namespace():
    """Leaves every network behind; returns a note where that is not allowed here. Root stays among the other users,
    whom some cases need."""
    uid, gid = os.getuid(), os.getgid()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNET) == 0:
        bring_up_loopback()
        return ""
    if libc.unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
        return "NOT CUT OFF from the network: " + os.strerror(ctypes.get_errno())
    for name, text in (("setgroups", "deny"), ("uid_map", "%d %d 1" % (uid, uid)), ("gid_map", "%d %d 1" % (gid, gid))):
        with open("/proc/self/" + name, "w") as file:
            file.write(text)
    bring_up_loopback()
    return ""


def bring_up_loopback():
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", IFF_UP))


class Daemon:
    """git daemon over a folder; serves any commit by its id."""

    def __init__(self, root):
        self.root, self.process, self.port = root, None, 0

    def start(self):
        if self.process is None:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                self.port = probe.getsockname()[1]
            config = os.path.join(self.root, "daemon.config")
            with open(config, "w") as file:
                file.write("[uploadpack]\n\tallowAnySHA1InWant = true\n[safe]\n\tdirectory = *\n")
            self.process = subprocess.Popen(
                ["git", "daemon", "--reuseaddr", "--listen=127.0.0.1", "--port=%d" % self.port, "--base-path=" + self.root,
                 "--export-all", self.root],
                env={"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": config, "GIT_CONFIG_NOSYSTEM": "1", "HOME": self.root},
                stderr=subprocess.DEVNULL, start_new_session=True)
            self.wait()
        return self

    def wait(self):
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise RuntimeError("git daemon does not answer")

    def url(self, repository):
        return "git://127.0.0.1:%d/%s" % (self.port, os.path.relpath(repository, self.root))

    def stop(self):
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)  # one that serves a hostile commit may be deaf to less
            self.process.wait()
