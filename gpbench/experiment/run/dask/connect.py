"""Start a local Dask cluster or connect to a scheduler; imports Dask only when it is used, and quiets its logs."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from concurrent import futures
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from gpbench.errors import ConfigError, GpbenchError, MissingExtra

_SETTINGS = {
    "distributed.scheduler.allowed-failures": 0,  # gpbench itself sends a job again that lost its worker
    "distributed.scheduler.worker-ttl": "30s",  # after which Dask removes a silent worker
}
_CONNECT = 10.0  # seconds that a scheduler has to answer
_QUIET = 3.0  # seconds after which a line says that the run waits for the scheduler


def is_address(where: str) -> bool:
    """Whether this is the address of a scheduler: tcp://host:port or tls://host:port."""
    try:
        parts = urlsplit(where)
        return parts.scheme in ("tcp", "tls") and bool(parts.hostname and parts.port) and where.endswith(parts.netloc)
    except ValueError:  # the port is no number
        return False


def _distributed() -> Any:
    """The module, with its logs quiet; MissingExtra if Dask is not installed."""
    try:
        import dask  # noqa: F401
        import distributed
    except ImportError as e:
        raise MissingExtra(
            "Dask is not installed: it is the extra gpbench[dask], pip install -e '.[dask]' in the clone"
        ) from e
    if not logging.getLogger().isEnabledFor(logging.DEBUG):
        for name in list(logging.root.manager.loggerDict):
            if name.partition(".")[0] in ("distributed", "asyncio"):  # the run itself reports what matters
                logging.getLogger(name).setLevel(logging.CRITICAL)
    return distributed


def local_cluster(workers: int) -> Any:
    """Start worker processes on this machine, one thread each, without Dask's memory limits, which ignore children."""
    distributed = _distributed()
    import dask

    try:
        with dask.config.set(_SETTINGS):
            return distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=True, memory_limit=0,
                dashboard_address="127.0.0.1:0", host="127.0.0.1", silence_logs=logging.CRITICAL,
            )  # fmt: skip
    except RuntimeError as e:  # multiprocessing imports the user's script again
        raise GpbenchError(
            f"Dask could not start its workers ({e}); a script needs `if __name__ == '__main__':` around the run"
        ) from e


@dataclass(frozen=True)
class Scheduler:
    """A Dask scheduler, and the cluster if this process has started it."""

    address: str
    cluster: Any = None

    @classmethod
    def at(cls, where: str, workers: int) -> Scheduler:
        """The scheduler with this address; of `workers` new processes on this machine if it is "dask"."""
        if where != "dask":
            return cls(where)
        cluster = local_cluster(workers)
        return cls(cluster.scheduler_address, cluster)

    def close(self) -> None:
        if self.cluster is not None:
            with contextlib.suppress(Exception):
                self.cluster.close(timeout=5)


def await_answer(address: str, say: Callable[[str], None]) -> None:
    """ConfigError if no scheduler answers at the address; called before a run begins.

    It asks without a Dask client, which waits for ever, or prints a traceback, if another program listens there.
    """
    distributed, keys = _distributed(), _keys(address)

    async def ask() -> Any:
        async with distributed.rpc(address, timeout=_CONNECT, connection_args=keys) as there:
            return await there.identity()

    async def type_of() -> str:
        return str((await asyncio.wait_for(ask(), _CONNECT))["type"])

    asking = futures.ThreadPoolExecutor(1).submit(
        lambda: asyncio.run(type_of())
    )  # in a notebook this thread has an event loop
    if not futures.wait([asking], _QUIET).done:
        say(f"waiting for a Dask scheduler at {address}, {_CONNECT:g} seconds at most")
    try:
        found = asking.result()
    except Exception as e:
        raise _no_scheduler(address, type(e).__name__) from e
    if found != "Scheduler":
        raise _no_scheduler(address, f"a {found.lower()} does")


def client_of(address: str, name: str) -> Any:
    """A Dask client of the scheduler; ConfigError if it does not answer."""
    distributed, _ = _distributed(), _keys(address)
    try:
        return distributed.Client(address, name=name, timeout=_CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError) as e:
        raise _no_scheduler(address, type(e).__name__) from e


def _keys(address: str) -> dict[str, Any]:
    """Arguments of a connection to the address; ConfigError if none can be made."""
    if not is_address(address) and not address.startswith("inproc://"):  # a scheduler in this process
        raise ConfigError(f"{address} is no address of a Dask scheduler: tcp://host:port or tls://host:port")
    keys: dict[str, Any] = _distributed().Security().get_connection_args("client")
    if address.startswith("tls://") and keys.get("ssl_context") is None:
        raise ConfigError(
            f"{address} needs a certificate and a key: name them in Dask's settings, docs/reference/clusters.md, TLS"
        )
    return keys


def _no_scheduler(address: str, why: str) -> ConfigError:
    return ConfigError(
        f"no Dask scheduler answers at {address} ({why}); start one with `dask scheduler`: docs/reference/clusters.md"
    )
