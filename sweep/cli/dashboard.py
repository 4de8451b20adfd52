"""`sweep dashboard`: optuna-dashboard on the study's storage."""

import click

from sweep.cli.options import storage_option


@click.command(name="dashboard")
@storage_option()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True)
def command(storage: str | None, host: str, port: int) -> None:
    """Open the Optuna dashboard on the recorded studies; also while a run is going on."""
    import socket

    from optuna_dashboard import run_server

    from sweep.cli.output import message
    from sweep.errors import StudyError
    from sweep.study.folder import default_storage
    from sweep.study.storage import open_storage, shown

    name = storage or default_storage()
    opened = open_storage(name)
    with socket.socket() as probe:
        try:
            probe.bind((host, port))
        except OSError as error:
            raise StudyError(
                f"--port: must be free, got {port} on {host} ({error.strerror}). Choose another, "
                f"for example --port {port + 1 if port < 65535 else 8081}."
            ) from error
        port = probe.getsockname()[1]
    message(f"dashboard of {shown(name)}: http://{host}:{port}/  (Ctrl-C ends it)")
    run_server(opened, host=host, port=port)
