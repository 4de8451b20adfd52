"""Between a client and a PostgreSQL server: loses the answer to one commit, as a crash would."""

import socket
import threading
from contextlib import suppress

CHUNK = 1 << 16


class LossyProxy:
    """Passes everything on, but breaks the connection before the answer to a commit of a trial.

    Args:
        port: of the server, on this machine.
        lose: which commit of a trial's insertion loses its answer, counted from 1.
    """

    def __init__(self, port: int, *, lose: int) -> None:
        self.server_port = port
        self.lose = lose
        self.commits = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Take no more connections."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self.server_port))
                lost = threading.Event()
                for target in (self._ask, self._answer):
                    threading.Thread(
                        target=target, args=(client, server, lost), daemon=True
                    ).start()

    def _ask(self, client: socket.socket, server: socket.socket, lost: threading.Event) -> None:
        inserts = False
        with suppress(OSError):
            while data := client.recv(CHUNK):
                inserts = inserts or b"INSERT INTO trials" in data
                if inserts and b"COMMIT" in data:
                    inserts = False
                    self.commits += 1
                    if self.commits == self.lose:
                        lost.set()
                server.sendall(data)
        _end(server)

    def _answer(self, client: socket.socket, server: socket.socket, lost: threading.Event) -> None:
        with suppress(OSError):
            while data := server.recv(CHUNK):
                if lost.is_set():
                    break  # the server has committed; nobody learns it
                client.sendall(data)
        _end(client)
        _end(server)


def _end(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
