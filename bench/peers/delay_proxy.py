"""A proxy that makes a server on this machine seem far away: what clients send arrives later.

    delay_proxy.py PORT TARGET_PORT MILLISECONDS

Bytes pass as they are, so that signatures hold, over one connection to the server for each of a client's. Requests under way at the
same time are delayed at the same time; answers are not delayed.
"""
import asyncio
import collections
import sys


class Side(asyncio.Protocol):
    """One of two connected ends. What it receives goes to the other one, in order, after the delay."""

    def __init__(self, loop, delay):
        self.loop, self.delay, self.transport, self.other = loop, delay, None, None
        self.waiting = collections.deque()  # until the other end is connected

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.later(lambda: self.other.transport.write(data))

    def eof_received(self):
        self.later(lambda: self.other.transport.can_write_eof() and self.other.transport.write_eof())
        return True

    def connection_lost(self, error):
        if self.other and self.other.transport:
            self.later(self.other.transport.close)

    def pause_writing(self):
        if self.other and self.other.transport:
            self.other.transport.pause_reading()

    def resume_writing(self):
        if self.other and self.other.transport and not self.other.transport.is_closing():
            self.other.transport.resume_reading()

    def later(self, do):
        if not self.other:
            self.waiting.append((self.loop.time() + self.delay, do))
        elif self.delay:
            self.loop.call_later(self.delay, self.run, do)
        else:
            self.run(do)

    def run(self, do):
        if not self.other.transport.is_closing():
            do()

    def joined(self, other):
        self.other = other
        while self.waiting:
            due, do = self.waiting.popleft()
            self.loop.call_at(due, self.run, do)


async def connect(client, loop, target):
    try:
        _, server = await loop.create_connection(lambda: Side(loop, 0), '127.0.0.1', target)
    except OSError:
        client.transport.abort()
        return
    server.other = client
    client.joined(server)


class Client(Side):
    def __init__(self, loop, delay, target):
        super().__init__(loop, delay)
        self.target = target

    def connection_made(self, transport):
        super().connection_made(transport)
        self.task = self.loop.create_task(connect(self, self.loop, self.target))


async def main():
    port, target, delay = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]) / 1000
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Client(loop, delay, target), '127.0.0.1', port, backlog=512)
    async with server:
        await server.serve_forever()


if __name__ == '__main__':
    asyncio.run(main())
