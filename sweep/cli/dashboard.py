"""`sweep dashboard`: optuna-dashboard on the study's storage."""

from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import click

from sweep.cli.options import storage_option


@click.command(name="dashboard", short_help="Open the Optuna dashboard on the studies.")
@storage_option()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True)
def command(storage: str | None, host: str, port: int) -> None:
    """Open the Optuna dashboard on the recorded studies; also while a run is going on."""
    from sweep.cli.output import message
    from sweep.errors import StudyError
    from sweep.study.dashboard.app import make_app
    from sweep.study.folder import default_storage
    from sweep.study.storage.address import shown
    from sweep.study.storage.storage import open_storage

    name = storage or default_storage()
    app = make_app(open_storage(name))
    try:
        server = make_server(host, port, app, server_class=_Server, handler_class=_Quiet)
    except OSError as error:
        raise StudyError(
            f"--port: must be free, got {port} on {host} ({error.strerror}). Choose another, "
            f"for example --port {port + 1 if port < 65535 else 8081}."
        ) from error
    message(f"dashboard of {shown(name)}: http://{host}:{server.server_port}/  (Ctrl-C ends it)")
    with server:
        server.serve_forever()


class _Server(ThreadingMixIn, WSGIServer):
    """Answers requests side by side, and ends with the process."""

    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    """Does not print every request."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""
