"""A config run on real data from the command line."""

import subprocess
import sys

import pandas as pd


def run(tmp_path, config, *options):
    (tmp_path / "it.yaml").write_text(config)
    command = [sys.executable, "-m", "gpbench", "run", "it.yaml", "-o", "out", *options]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return pd.read_csv(tmp_path / "out" / "results.csv")
