"""A local web server whose answers go wrong in chosen ways."""

import contextlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class FaultyServer:
    """`answers`: path -> bytes (served well) or a function of the request handler."""

    def __init__(self):
        self.answers, self.asked, self.release = {}, [], threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                server.asked.append(self.path)
                answer = server.answers.get(self.path)
                if answer is None:
                    return self.send_error(404)
                with contextlib.suppress(OSError):  # the client may have hung up
                    if callable(answer):
                        answer(self)
                    else:
                        begin(self, len(answer))
                        self.wfile.write(answer)

            def log_message(self, *args):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http.server_port}"

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *args):
        self.release.set()
        self.http.shutdown()
        self.http.server_close()


def begin(handler, length=None, kind="application/octet-stream"):
    handler.send_response(200)
    handler.send_header("Content-Type", kind)
    if length is not None:
        handler.send_header("Content-Length", str(length))
    handler.end_headers()


def web_page(handler):
    page = b"\n<!DOCTYPE html><html><body>Please log in</body></html>"
    begin(handler, len(page), "text/html")
    handler.wfile.write(page)


def truncated(body: bytes):
    def answer(handler):
        begin(handler, len(body))
        handler.wfile.write(body[: len(body) // 2])

    return answer


def broken_chunks(handler):
    handler.protocol_version = "HTTP/1.1"
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    handler.wfile.write(b"10\r\n1 2 3")


def endless(handler):
    begin(handler)
    while True:
        handler.wfile.write(b"1 2 3\n" * 2000)


def stalling(server):
    def answer(handler):
        begin(handler, 1000)
        handler.wfile.write(b"1 2 3\n")
        handler.wfile.flush()
        server.release.wait(10)

    return answer


def dripping(server):
    def answer(handler):
        begin(handler, 100_000)
        while not server.release.wait(0.05):
            handler.wfile.write(b"1 2 3\n" * 20)
            handler.wfile.flush()

    return answer


def dripping_headers(server):
    def answer(handler):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while not server.release.wait(0.05):
            handler.wfile.write(b"X")
            handler.wfile.flush()

    return answer


def redirect(to: str):
    def answer(handler):
        handler.send_response(302)
        handler.send_header("Location", to)
        handler.end_headers()

    return answer
