"""Compare machines: a trial gives equal last digits on machines with equal architecture, BLAS, numpy and scipy.

OpenBLAS, numpy and numba choose their inner loops by the processor, so two processors of one architecture may differ.
Environment variables can make a newer processor use the loops of an older one: with these settings a Zen 4 gave the
numbers recorded on a processor without AVX-512 bit for bit.
"""

from __future__ import annotations

_OLDER = {  # core that OpenBLAS chose on the older processor -> settings that select the same loops on a newer one
    "Haswell": {
        "OPENBLAS_CORETYPE": "Haswell",
        "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
        "NUMBA_CPU_NAME": "haswell",
        "NUMBA_CPU_FEATURES": "",
    },
}
_NEWER = {"Haswell": {"SkylakeX"}}
_CORE, _LOOPS = "OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES"


def traits(env: dict) -> dict[str, str]:
    """Properties of an environment (`provenance.environment`) that determine the last digits."""
    blas = sorted(
        {f"{b.get('internal_api')} {b.get('version')} {b.get('architecture') or ''}".strip() for b in _blas(env)}
    )
    packages = env.get("packages") or {}
    found = {"machine": env.get("machine"), "blas": ", ".join(blas)}
    return {k: str(v or "unknown") for k, v in (found | {p: packages.get(p) for p in ("numpy", "scipy")}).items()}


def differences(then: dict, now: dict) -> list[str]:
    """Differences in words; empty if equal numbers are expected."""
    before, here = traits(then), traits(now)
    return [f"{k} {before[k]} then, {here[k]} now" for k in before if before[k] != here[k] or before[k] == "unknown"]


def lent(then: dict, now: dict) -> dict[str, str]:
    """Environment variables that select the loops of the older machine here; empty if that is not possible.

    The user of a newer processor may have set an older core for OpenBLAS: its name then says nothing about the loops of
    numpy and numba.
    """
    before, here = ({b.get("architecture") for b in _blas(env)} for env in (then, now))
    for core, settings in _OLDER.items():
        is_newer = here <= _NEWER[core] or (here == {core} and _CORE in now.get("arithmetic", {}))
        was_older = before == {core} and _LOOPS in then.get("arithmetic", settings)
        if here and is_newer and was_older:
            return settings
    return {}


def _blas(env: dict) -> list[dict]:
    return [b for b in env.get("blas") or [] if b.get("user_api") == "blas"]
