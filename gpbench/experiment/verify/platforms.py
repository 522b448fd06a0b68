"""On which machines a trial must give the same number to the last digits: equal architecture, BLAS, numpy and scipy.

OpenBLAS, numpy and numba choose their inner loops by the processor, so two processors of one architecture may differ.
What a newer one chooses can be forbidden it, which lends it the arithmetic of an older one: with these settings a Zen 4
gave the numbers recorded on a processor without AVX-512 bit for bit.
"""

from __future__ import annotations

_OLDER = {  # core that OpenBLAS chose on the older processor -> settings that bring a newer one to do as it does
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
    """What decides the last digits, of an environment that `provenance.environment` described."""
    blas = sorted(
        {f"{b.get('internal_api')} {b.get('version')} {b.get('architecture') or ''}".strip() for b in _blas(env)}
    )
    packages = env.get("packages") or {}
    found = {"machine": env.get("machine"), "blas": ", ".join(blas)}
    return {k: str(v or "unknown") for k, v in (found | {p: packages.get(p) for p in ("numpy", "scipy")}).items()}


def differences(then: dict, now: dict) -> list[str]:
    """In words; empty when the same number is to be expected."""
    before, here = traits(then), traits(now)
    return [f"{k} {before[k]} then, {here[k]} now" for k in before if before[k] != here[k] or before[k] == "unknown"]


def lent(then: dict, now: dict) -> dict[str, str]:
    """Environment variables that give this machine the arithmetic of the older one, where that is possible.

    A newer processor may have been told of the older core by its user: OpenBLAS then calls itself that, which says
    nothing of the loops that numpy and numba choose.
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
