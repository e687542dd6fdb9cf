# SPDX-License-Identifier: BSD-3-Clause
"""A server of one repository, over git:// and http, that goes wrong at a chosen point in a chosen way; without a fault it
is a sound one. It speaks as much of protocol 2 as `git fetch --depth 1 URL COMMIT` asks for (gitprotocol-v2).

Points, in their order: connect, request (read), headers (sent; http), capabilities (sent), asked (the second request of
git is read), pack 1 to pack 9 (so many tenths of the pack are sent), end (all but the last packet is).
"""
import itertools
import socket
import struct
import threading
import time

CAPABILITIES = (b"version 2\n", b"agent=made-up\n", b"ls-refs\n", b"fetch=shallow\n", b"object-format=sha1\n")
FLUSH, DELIMITER = b"0000", b"0001"


def packet(data):
    return b"%04x" % (len(data) + 4) + data


def sideband(band, data, size):
    return b"".join(packet(bytes([band]) + data[at:at + size]) for at in range(0, len(data), size))


class Over(Exception):
    """This conversation has ended as it was to."""


class FakeRemote:
    """`fault`: {"at": POINT, "do": ACTION, …} or None; may be changed between two fetches. "packet": bytes of the pack in
    one packet."""

    def __init__(self, commit, pack, fault=None):
        self.commit, self.pack, self.fault = commit, pack, fault
        self.ends = threading.Event()
        self.accepting = None
        self.asked = 0  # how often somebody connected
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        if fault and fault["do"] == "take nobody":
            self.take_nobody()
        else:
            self.listener.listen(64)
            self.accepting = threading.Thread(target=self.accept, daemon=True)
            self.accepting.start()

    def take_nobody(self):
        """Connections wait for ever: those before have filled the queue."""
        self.listener.listen(0)
        self.before = [socket.socket() for _ in range(3)]
        for each in self.before:
            each.setblocking(False)
            each.connect_ex(("127.0.0.1", self.port))

    def stop(self):
        """Only after the thread has ended is the descriptor closed: another server's would get its number, and this
        thread take that one's client."""
        self.ends.set()
        if self.accepting:
            self.listener.shutdown(socket.SHUT_RDWR)  # wakes it
            self.accepting.join()
        self.listener.close()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            self.asked += 1
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        try:
            Conversation(self, client).hold()
        except (Over, OSError, ValueError):
            pass
        finally:
            client.close()


class Conversation:
    def __init__(self, remote, client):
        self.remote, self.client = remote, client
        self.fault = dict(remote.fault or {})
        self.is_slow = False

    def hold(self):
        self.point("connect")
        first = self.client.recv(1, socket.MSG_PEEK)
        if first == b"0":
            self.speak_git()
        else:
            self.speak_http()

    # The two transports

    def speak_git(self):
        self.read_packet()
        self.point("request")
        self.send(b"".join(map(packet, CAPABILITIES)) + FLUSH)
        self.point("capabilities")
        while self.read_packet():
            pass
        self.point("asked")
        self.answer()

    def speak_http(self):
        head = self.read_head()
        if head.startswith(b"GET "):
            self.point("request")
            self.send_head(b"application/x-git-upload-pack-advertisement")
            self.point("headers")
            self.send(packet(b"# service=git-upload-pack\n") + FLUSH + b"".join(map(packet, CAPABILITIES)) + FLUSH)
            self.point("capabilities")
        else:
            self.point("asked")
            self.send_head(b"application/x-git-upload-pack-result")
            self.answer()
        self.client.shutdown(socket.SHUT_WR)

    def answer(self):
        shallow = packet(b"shallow " + self.remote.commit.encode())
        self.send(packet(b"shallow-info\n") + shallow + DELIMITER + packet(b"packfile\n"))
        pack = self.remote.pack
        for tenth in range(10):
            self.send(sideband(1, pack[len(pack) * tenth // 10:len(pack) * (tenth + 1) // 10], self.fault.get("packet", 60000)))
            self.point("pack %d" % (tenth + 1) if tenth < 9 else "end")
        self.send(FLUSH)

    # What is read and sent

    def read(self, count):
        data = b""
        while len(data) < count:
            part = self.client.recv(count - len(data))
            if not part:
                raise Over
            data += part
        return data

    def read_packet(self):
        """Returns its data, nothing for a flush."""
        length = int(self.read(4), 16)
        return self.read(length - 4) if length >= 4 else b"delimiter" if length else b""

    def read_head(self):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.read(1)
        return head

    def send_head(self, kind):
        self.send(b"HTTP/1.1 200 OK\r\nContent-Type: " + kind + b"\r\nConnection: close\r\n\r\n")

    def send(self, data):
        if not self.is_slow:
            return self.client.sendall(data)
        for at in range(len(data)):
            self.client.sendall(data[at:at + 1])
            if self.remote.ends.wait(0.1):
                raise Over

    # What goes wrong

    def point(self, name):
        if self.fault.get("at") == name:
            getattr(self, "do_" + self.fault["do"].replace(" ", "_"))()

    def do_close(self):
        raise Over

    def do_reset(self):
        self.client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise Over

    def do_stall(self):
        self.remote.ends.wait(120)
        raise Over

    def do_trickle(self):
        """From here on ten bytes a second."""
        self.is_slow = True

    def do_say(self):
        """Bytes, then the end."""
        self.client.sendall(self.fault["bytes"])
        time.sleep(0.05)
        raise Over

    def do_repeat(self):
        """The same bytes until nobody takes them."""
        bytes_ = self.fault["bytes"] * (1 + 65536 // len(self.fault["bytes"]))
        self.client.sendall(self.fault.get("first", b""))
        while not self.remote.ends.is_set():
            self.client.sendall(bytes_)

    def do_refs(self):
        """A list of references in protocol 0 that does not end."""
        for number in itertools.count():
            name = b"%s refs/heads/%09d" % (self.remote.commit.encode(), number)
            self.client.sendall(packet(name + (b"\0shallow\n" if number == 0 else b"\n")))
