"""A proxy in front of a server that counts requests and misbehaves when it is told to.

    fault_proxy.py PORT TARGET_PORT

Everything passes unchanged, Host too, so that signatures hold. `PUT /__faults__` with a JSON list sets what goes wrong:
{"kind": ..., "method": "GET", "match": REGEX of path and query, "mode": "first" | "always"}; with "first" only the first
of equal requests fails. With "from": N everything fails from the Nth change (PUT, POST, DELETE) on, as when a writer dies there. `GET /__log__` returns the requests since the faults were set,
with the seconds at which they came and were answered.

Kinds: status (with "status" and "code"), reset (before the server sees it), lost (the server does the work, the answer
is lost), cut (half of the body), error200 (200 with an error inside), list200 (a listing without any field), shift (a wrong
Content-Range), delay ("seconds").
"""
import asyncio
import json
import re
import socket
import struct
import sys
import time

FAULTS, SEEN, LOG, CHANGES = [], set(), [], []


async def read_message(reader):
    """Head and body of one request or answer; None at the end of the connection."""
    try:
        head = await reader.readuntil(b'\r\n\r\n')
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    headers = dict(re.findall(rb'(?im)^([^:\r\n]+):[ \t]*([^\r\n]*)', head.split(b'\r\n', 1)[1]))
    headers = {k.lower(): v for k, v in headers.items()}
    first = head.split(b'\r\n', 1)[0]
    if headers.get(b'transfer-encoding', b'').lower() == b'chunked':
        body = b''
        while True:
            size = int((await reader.readuntil(b'\r\n')).split(b';')[0], 16)
            body += (await reader.readexactly(size + 2))[:-2]
            if size == 0:
                break
    elif b'content-length' in headers:
        body = await reader.readexactly(int(headers[b'content-length']))
    elif first.startswith(b'HTTP/') and not re.match(rb'HTTP/1.. (1..|204|304)', first):
        body = await reader.read()
    else:
        body = b''
    return head, headers, body


async def ask(target, head, body, no_body):
    """Hands a request on over a connection of its own."""
    reader, writer = await asyncio.open_connection('127.0.0.1', target, limit=1 << 26)
    try:
        head = re.sub(rb'(?im)^connection:.*\r\n', b'', head)
        writer.write(head[:-2] + b'Connection: close\r\n\r\n' + body)
        await writer.drain()
        if no_body:
            return await reader.readuntil(b'\r\n\r\n'), {}, b''
        return await read_message(reader)
    finally:
        writer.close()


def answer(status, code, body=None):
    text = body if body is not None else f'<?xml version="1.0"?><Error><Code>{code}</Code><Message>by the proxy</Message></Error>'.encode()
    return f'HTTP/1.1 {status} X\r\nContent-Type: application/xml\r\nContent-Length: {len(text)}\r\n\r\n'.encode() + text


def reset(writer):
    writer.transport.get_extra_info('socket').setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    writer.transport.abort()


def fault_of(method, path, headers):
    if method in ('PUT', 'POST', 'DELETE'):
        CHANGES.append(path)
    for fault in FAULTS:
        if 'from' in fault:
            if len(CHANGES) < fault['from']:
                continue
            # Only the change at which it dies may still be done by the server.
            return fault if len(CHANGES) == fault['from'] and method not in ('GET', 'HEAD') else {'kind': 'reset'}
        if fault.get('method', method) == method and re.search(fault.get('match', ''), path):
            same = (method, path, headers.get(b'range', b''))
            if fault.get('mode', 'first') == 'first' and same in SEEN:
                return None
            SEEN.add(same)
            return fault
    return None


async def serve_one(target, head, headers, body, writer):
    method, path, _ = head.split(b'\r\n', 1)[0].decode('latin-1').split(' ')
    if path.endswith('/__faults__'):
        FAULTS[:] = json.loads(body)
        SEEN.clear()
        LOG.clear()
        CHANGES.clear()
        writer.write(answer(200, '', b''))
        return True
    if path.endswith('/__log__'):
        writer.write(answer(200, '', json.dumps(LOG).encode()))
        return True
    fault = fault_of(method, path, headers)
    kind = fault['kind'] if fault else ''
    entry = {'method': method, 'path': path, 'range': headers.get(b'range', b'').decode(), 'fault': kind, 'begin': time.monotonic()}
    LOG.append(entry)
    if kind == 'status':
        writer.write(answer(fault['status'], fault.get('code', '')) if fault.get('code') else answer(fault['status'], '', b''))
        return True
    if kind == 'error200':
        writer.write(answer(200, fault.get('code', 'InternalError')))
        return True
    if kind == 'list200':
        writer.write(answer(200, '', b'<ListBucketResult></ListBucketResult>'))
        return True
    if kind == 'reset':
        reset(writer)
        return False
    if kind == 'delay':
        await asyncio.sleep(fault['seconds'])
    found = await ask(target, head, body, method == 'HEAD')
    entry['end'] = time.monotonic()
    if found is None or kind == 'lost':
        reset(writer)
        return False
    got, _, content = found
    got = re.sub(rb'(?im)^(transfer-encoding|connection' + (b'' if method == 'HEAD' else b'|content-length') + rb'):.*\r\n', b'', got)
    if kind == 'shift':
        got = re.sub(rb'(?i)(content-range: bytes )(\d+)-(\d+)', lambda m: m[1] + b'%d-%d' % (int(m[2]) + 1, int(m[3]) + 1), got)
    length = b'' if method == 'HEAD' else b'Content-Length: %d\r\n' % len(content)
    writer.write(got[:-2] + length + b'\r\n')
    if kind == 'cut' and content:
        writer.write(content[:len(content) // 2])
        await writer.drain()
        writer.close()
        return False
    writer.write(content)
    return True


async def serve(reader, writer, target):
    try:
        while (message := await read_message(reader)) is not None:
            if not await serve_one(target, *message, writer):
                return
            await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


async def main():
    port, target = int(sys.argv[1]), int(sys.argv[2])
    server = await asyncio.start_server(lambda r, w: serve(r, w, target), '127.0.0.1', port, limit=1 << 26)
    async with server:
        await server.serve_forever()


if __name__ == '__main__':
    asyncio.run(main())
