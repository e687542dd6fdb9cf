# SPDX-License-Identifier: BSD-3-Clause
"""A line between clients and servers on loopback: every byte is late, and there is a rate for all that comes down."""
import asyncio
import collections
import threading
import time

CHUNK = 16384
WINDOW = 64  # chunks on their way of each connection


class Line:
    """Relays in front of ports of loopback that share one line; counts connections and bytes."""

    def __init__(self, round_trip, rate):
        self.delay, self.rate, self.free = round_trip / 2, rate, 0.0
        self.counts = collections.Counter()
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def relay_to(self, target):
        """Returns the port of a relay in front of the port `target`."""
        async def start():
            server = await asyncio.start_server(lambda *ends: self.connect(target, *ends), "127.0.0.1", 0)
            return server.sockets[0].getsockname()[1]
        return asyncio.run_coroutine_threadsafe(start(), self.loop).result()

    async def connect(self, target, reader, writer):
        self.counts["connections"] += 1
        await asyncio.sleep(2 * self.delay)  # the handshake of TCP
        try:
            server_reader, server_writer = await asyncio.open_connection("127.0.0.1", target)
            await asyncio.gather(self.pump(reader, server_writer, "up"), self.pump(server_reader, writer, "down"))
            server_writer.close()
        except OSError:
            pass  # either end has gone
        writer.close()

    async def pump(self, reader, writer, way):
        queue = asyncio.Queue(WINDOW)

        async def read():
            data = b"more"
            while data:
                data = await reader.read(CHUNK)
                sent = time.monotonic()
                if way == "down":
                    sent = self.free = max(sent, self.free) + len(data) / self.rate
                await queue.put((sent + self.delay, data))

        async def write():
            while True:
                due, data = await queue.get()
                await asyncio.sleep(max(0.0, due - time.monotonic()))
                if not data:
                    break
                self.counts[way] += len(data)
                writer.write(data)
                await writer.drain()
            if writer.can_write_eof():
                writer.write_eof()

        await asyncio.gather(read(), write())
