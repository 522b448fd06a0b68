"""Dask, imported when it is asked for: a cluster of this machine, a client of any, and their silence."""

from __future__ import annotations

import logging

from gpbench.errors import ConfigError, GpbenchError, MissingExtra

_SETTINGS = {
    "distributed.scheduler.allowed-failures": 0,  # a job that lost its worker is ours to give out again
    "distributed.scheduler.worker-ttl": "30s",  # after which a silent worker is given up
}
_CONNECT = 10.0  # seconds that a scheduler has to answer


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
                n_workers=workers, threads_per_worker=1, processes=True, memory_limit=0, dashboard_address=":0",
                host="127.0.0.1", silence_logs=logging.CRITICAL,
            )  # fmt: skip
    except RuntimeError as e:  # multiprocessing's rule for programs of one's own
        raise GpbenchError(
            f"Dask could not start its workers ({e}); a script needs `if __name__ == '__main__':` around the run"
        ) from e


def client_of(address: str, name: str):
    distributed = _distributed()
    keys = distributed.Security().get_connection_args("client")
    if address.startswith("tls://") and keys.get("ssl_context") is None:
        raise ConfigError(
            f"{address} needs a certificate and a key: name them in Dask's settings, docs/clusters.md, TLS"
        )
    try:
        return distributed.Client(address, name=name, timeout=_CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError) as e:
        raise ConfigError(
            f"no Dask scheduler answers at {address} ({type(e).__name__}); start one with `dask scheduler`, "
            "see docs/clusters.md"
        ) from e
