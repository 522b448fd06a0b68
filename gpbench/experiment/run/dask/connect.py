"""Dask, imported when it is asked for: a cluster of this machine, a client of any, and their silence."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent import futures
from urllib.parse import urlsplit

from gpbench.errors import ConfigError, GpbenchError, MissingExtra

_SETTINGS = {
    "distributed.scheduler.allowed-failures": 0,  # a job that lost its worker is ours to give out again
    "distributed.scheduler.worker-ttl": "30s",  # after which a silent worker is given up
}
_CONNECT = 10.0  # seconds that a scheduler has to answer
_QUIET = 3.0  # seconds of them before a line says what is waited for


def is_address(where: str) -> bool:
    """Of a scheduler: tcp://host:port or tls://host:port."""
    try:
        parts = urlsplit(where)
        return parts.scheme in ("tcp", "tls") and bool(parts.hostname and parts.port) and where.endswith(parts.netloc)
    except ValueError:  # a port that is no number
        return False


def _distributed():
    try:
        import dask  # noqa: F401
        import distributed
    except ImportError as e:
        raise MissingExtra(
            "Dask is not installed: it is the extra gpbench[dask], pip install -e '.[dask]' in the clone"
        ) from e
    if not logging.getLogger().isEnabledFor(logging.DEBUG):
        for name in list(logging.root.manager.loggerDict):
            if name.partition(".")[0] in ("distributed", "asyncio"):  # what matters is said by the run
                logging.getLogger(name).setLevel(logging.CRITICAL)
    return distributed


def local_cluster(workers: int):
    """Worker processes of this machine, one thread each; Dask's limits of memory, which see no children, are off."""
    distributed = _distributed()
    import dask

    try:
        with dask.config.set(_SETTINGS):
            return distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=True, memory_limit=0,
                dashboard_address="127.0.0.1:0", host="127.0.0.1", silence_logs=logging.CRITICAL,
            )  # fmt: skip
    except RuntimeError as e:  # multiprocessing's rule for programs of one's own
        raise GpbenchError(
            f"Dask could not start its workers ({e}); a script needs `if __name__ == '__main__':` around the run"
        ) from e


def await_answer(address: str, say: Callable[[str], None]) -> None:
    """ConfigError when no scheduler is there, before anything is begun that would need it.

    Without a client, which waits for ever where another program listens, and leaves a traceback where that one answers.
    """
    distributed, keys = _distributed(), _keys(address)

    async def ask() -> dict:
        async with distributed.rpc(address, timeout=_CONNECT, connection_args=keys) as there:
            return await there.identity()

    async def type_of() -> str:
        return (await asyncio.wait_for(ask(), _CONNECT))["type"]

    asking = futures.ThreadPoolExecutor(1).submit(lambda: asyncio.run(type_of()))  # a notebook's thread has a loop
    if not futures.wait([asking], _QUIET).done:
        say(f"waiting for a Dask scheduler at {address}, {_CONNECT:g} seconds at most")
    try:
        found = asking.result()
    except Exception as e:
        raise _nobody(address, type(e).__name__) from e
    if found != "Scheduler":
        raise _nobody(address, f"a {found.lower()} does")


def client_of(address: str, name: str):
    distributed, _ = _distributed(), _keys(address)
    try:
        return distributed.Client(address, name=name, timeout=_CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError) as e:
        raise _nobody(address, type(e).__name__) from e


def _keys(address: str) -> dict:
    """What a connection needs; ConfigError where none can be made."""
    if not is_address(address) and not address.startswith("inproc://"):  # a scheduler of this very process
        raise ConfigError(f"{address} is no address of a Dask scheduler: tcp://host:port or tls://host:port")
    keys = _distributed().Security().get_connection_args("client")
    if address.startswith("tls://") and keys.get("ssl_context") is None:
        raise ConfigError(
            f"{address} needs a certificate and a key: name them in Dask's settings, docs/clusters.md, TLS"
        )
    return keys


def _nobody(address: str, why: str) -> ConfigError:
    return ConfigError(
        f"no Dask scheduler answers at {address} ({why}); start one with `dask scheduler`, see docs/clusters.md"
    )
