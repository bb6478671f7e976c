# SPDX-License-Identifier: BSD-3-Clause
"""Environments of peers that are not installed together with this library; they run as processes."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

__all__ = ["Environment"]


class Environment:
    """A Python environment with some peers: that of an environment variable, ``build/NAME``, or the present one.

    Parameters
    ----------
    name : str
        The variable is ``BAYESIEVE_NAME_PYTHON``.
    packages : tuple of str
        Packages to install there.
    """

    def __init__(self, name: str, *packages: str) -> None:
        self._variable, self._packages = f"BAYESIEVE_{name.upper()}_PYTHON", packages
        default = Path("build") / name / "bin" / "python"
        self._default = default
        self._recipe = f"python -m venv build/{name} && {default} -m pip install {' '.join(packages)}"

    @property
    def python(self) -> Path:
        """The interpreter; not resolved, since a link is how an environment differs from the Python it is made of."""
        if given := os.environ.get(self._variable):
            return Path(given).expanduser()
        own = self._default.absolute()
        is_here = not own.exists() and find_spec(self._packages[0]) is not None
        return Path(sys.executable) if is_here else own

    @property
    def exists(self) -> bool:
        """Whether the interpreter exists."""
        return self.python.exists()

    @property
    def recipe(self) -> str:
        """How to make the environment."""
        return f"{self._packages[0]} was skipped; to compare with it: {self._recipe} (or set {self._variable})"

    def run(self, script: Path, *arguments: str | Path) -> None:
        """Run a script, which writes its results to files."""
        # Some peers start programs on the path. -P: a file in the folder of the script must not shadow their modules.
        path = os.pathsep.join([str(self.python.parent), os.environ.get("PATH", "")])
        process = subprocess.run(
            [self.python, "-P", script, *arguments],
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        if process.returncode != 0:
            raise RuntimeError(f"{script.name} failed in {self.python}:\n{process.stderr}")
