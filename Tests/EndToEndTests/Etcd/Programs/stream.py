"""One HTTP request whose answer comes piece by piece: a watch."""
import socket
import time


class Stream:
    """Sends a request on a connection of its own and reads the answer's lines as they come.

    The body may be chunked, or have a length, or go on to the end of the connection. Nothing read is ever lost when a
    wait runs out, so a caller can look whether something came and wait again.
    """

    def __init__(self, address, request):
        self.socket = socket.create_connection(address, timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.raw, self.text, self.ended = b'', b'', False
        self.status, self.headers, self.left = None, {}, None
        self.socket.sendall(self._request(address, request))

    @staticmethod
    def _request(address, request):
        body = request.body or b''
        body = body.encode() if isinstance(body, str) else body
        lines = [f'{request.method} {request.path} HTTP/1.1', f'Host: {address[0]}:{address[1]}']
        lines += [f'{name}: {value}' for name, value in (request.headers or {}).items()]
        if body:
            lines.append(f'Content-Length: {len(body)}')
        return '\r\n'.join([*lines, '', '']).encode() + body

    def head(self, seconds=30):
        """Waits for the status and the headers; returns the status, or None when they did not come."""
        self._until(lambda: b'\r\n\r\n' in self.raw, seconds)
        if b'\r\n\r\n' not in self.raw:
            return None
        head, self.raw = self.raw.split(b'\r\n\r\n', 1)
        first, *lines = head.decode('latin-1').split('\r\n')
        self.status = int(first.split()[1])
        for line in lines:
            name, _, value = line.partition(':')
            self.headers[name.strip().lower()] = value.strip()
        if 'content-length' in self.headers:
            self.left = int(self.headers['content-length'])
        self._decode()
        return self.status

    def line(self, seconds=30):
        """Waits for the next line that is not empty; returns None when none came, and b'' at the end of the body."""
        while True:
            self._until(lambda: b'\n' in self.text or self.ended, seconds)
            if b'\n' in self.text:
                line, self.text = self.text.split(b'\n', 1)
            elif self.ended:
                line, self.text = self.text, b''
                return line
            else:
                return None
            if line.strip():
                return line

    def close(self):
        self.socket.close()

    def _until(self, reached, seconds):
        end = time.monotonic() + seconds
        while not reached() and not self.ended:
            left = end - time.monotonic()
            if left <= 0 or not self._read(left):
                return

    def _read(self, seconds):
        self.socket.settimeout(seconds)
        try:
            data = self.socket.recv(65536)
        except TimeoutError:
            return False
        except ConnectionError:
            data = b''
        if not data:
            self.ended = True
        self.raw += data
        if self.status is not None:
            self._decode()
        return True

    def _decode(self):
        """Moves the body's bytes out of the chunks."""
        if self.headers.get('transfer-encoding', '').lower() == 'chunked':
            self._decode_chunks()
            return
        if self.left is None:
            self.text, self.raw = self.text + self.raw, b''
            return
        taken, self.raw = self.raw[:self.left], self.raw[self.left:]
        self.text, self.left = self.text + taken, self.left - len(taken)
        self.ended = self.ended or self.left == 0

    def _decode_chunks(self):
        while b'\r\n' in self.raw:
            head, rest = self.raw.split(b'\r\n', 1)
            size = int(head.split(b';')[0], 16)
            if size == 0:
                self.ended = True
                return
            if len(rest) < size + 2:
                return
            self.text, self.raw = self.text + rest[:size], rest[size + 2:]
