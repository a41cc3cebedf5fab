"""The page: a server for one or several browsers, on this machine only unless told otherwise."""

import contextlib
import ipaddress
import os
import socket
import sys
import threading
import time
import warnings
import webbrowser
from collections.abc import Iterator
from typing import Any, Self
from urllib.parse import urlsplit

import rich

from cardan.errors import MissingExtra, SettingError, shown

FIRST_PORT = 8080
_TRIED = 100  # ports, one after the other


class OpenToOthers(UserWarning):
    """A page that other machines can reach."""


def viser() -> Any:
    """The package that makes the page."""
    try:
        import viser as package  # takes half a second
    except ImportError:
        raise MissingExtra("The viewer needs viser.\n  Install it with `pip install cardan[view]`.") from None
    return package


class Page:
    """A page that somebody has opened: where it is, and how it ends.

    Attributes:
        server: Of the page.
    """

    server: Any

    @property
    def address(self) -> str:
        """What to type into a browser."""
        return address(self.server)

    def wait(self) -> None:
        """Stay there until Ctrl-C, for scripts that would end otherwise."""
        wait_for_interrupt()
        self.close()

    def close(self) -> None:
        """End the page."""
        close_server(self.server)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _repr_html_(self) -> str:
        """In a notebook: the page, in the cell's output."""
        return f'<iframe src="{self.address}" width="100%" height="560" style="border:none"></iframe>'


def open_server(title: str, host: str = "127.0.0.1", port: int | None = None) -> Any:
    """A server with an empty scene and an empty panel.

    Args:
        title: What stands above the panel.
        host: The address to listen at. Anybody who reaches it can see the run, and with a live run change it.
        port: Where to listen; by default the first free one from 8080 on.
    """
    package = viser()
    _check_host(host)
    chosen = _free_port(host, port)
    with _silence():  # a box with the same address
        server = package.ViserServer(host=host, port=chosen, label=title, verbose=False)
    _keep_private(server)
    server.gui.configure_theme(dark_mode=True, show_share_button=False)
    # viser's surroundings are an image that a page decodes when it likes, and filters for seconds without a graphics
    # card: pictures would be late, and their colours change when it arrives
    server.scene.configure_environment_map(None)
    server.scene.configure_default_lights(False, cast_shadow=False)
    return server


def close_server(server: Any) -> None:
    """End a server and its threads."""
    with _silence():
        server.stop()


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Let viser print nothing, in a terminal or in the cell of a notebook: it prints with Rich's own console."""
    console = rich.get_console()
    was_quiet, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = was_quiet


def address(server: Any) -> str:
    """What to type into a browser."""
    host = server.get_host()
    return f"http://{'localhost' if host in ('0.0.0.0', '::') else host}:{server.get_port()}"


def check_viewing() -> None:
    """Raise what any viewer would raise for want of a package."""
    viser()


def announce(server: Any, browser: bool) -> None:
    """Say where the page is, and show it in a browser where there is a screen."""
    if in_notebook():
        return  # the cell shows it
    print(f"viewer at {address(server)}", file=sys.stderr)
    has_screen = sys.platform in ("win32", "darwin") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
    if browser and has_screen:
        # some browsers return at once, and others when they are closed
        threading.Thread(target=_browse, args=(address(server),), name="cardan browser", daemon=True).start()


def _browse(url: str) -> None:
    with contextlib.suppress(Exception):
        webbrowser.open(url)


def wait_for_interrupt() -> None:
    """Until Ctrl-C."""
    with contextlib.suppress(KeyboardInterrupt):
        while True:
            time.sleep(3600.0)


def in_notebook() -> bool:
    """Whether this process answers to the cells of a notebook."""
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


def _check_host(host: str) -> None:
    if not isinstance(host, str) or not host:
        raise SettingError(f'host = {shown(host)}.\n  Use an address of this machine, e.g. "127.0.0.1".')
    if not _is_loopback(host):
        warnings.warn(
            f"The viewer listens at {host}: whoever can reach this machine can see the run, and change a live one.\n"
            '  There is no password and no encryption. Leave out `host` to listen at 127.0.0.1, and use "ssh -L".',
            OpenToOthers,
            stacklevel=4,
        )


def _free_port(host: str, port: int | None) -> int:
    if port is not None and not (isinstance(port, int) and 0 <= port <= 65535):
        raise SettingError(
            f"port = {shown(port)}.\n  Use a number from 1 to 65535, or leave it out for one that is free."
        )
    for tried in range(FIRST_PORT, FIRST_PORT + _TRIED) if port is None else (port,):
        try:
            with socket.create_server((host, tried)) as found:
                return int(found.getsockname()[1])
        except OSError as error:
            if port is not None or tried == FIRST_PORT + _TRIED - 1:
                raise SettingError(
                    f"The viewer cannot listen at {host}, port {tried}: {error.strerror or error}.\n"
                    "  Choose another port, or leave it out for one that is free."
                ) from None
    raise AssertionError  # the loop above returns or raises


def _keep_private(server: Any) -> None:
    """Let no page ask for a tunnel to the outside, and no page of another site talk to a server of this machine.

    A browser lets every site open a socket to this machine, and says whose page it is that does so. What is no browser
    says nothing, and may connect.
    """

    def refuse(*_: Any, **__: Any) -> None:
        return None

    server.request_share_url = server.disconnect_share_url = refuse
    if not _is_loopback(server.get_host()):
        return
    sockets = server._websock_server

    async def check(client: Any) -> None:
        connection = sockets._live_connections[client.client_id]
        origin = connection.request.headers.get("Origin")
        if origin is not None and not _is_loopback(urlsplit(origin).hostname or ""):
            await connection.close(1008, "This page is not of this machine.")

    sockets.on_client_connect(check)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
