"""Peers that cannot be installed beside this library have an environment of their own, and are run as a process."""

import os
import subprocess
from pathlib import Path

__all__ = ["Environment"]


class Environment:
    """A Python with some peers: the one that a variable names, or the one in ``build/NAME`` of the working folder.

    Parameters
    ----------
    name : str
        The variable is ``BAYESIEVE_NAME_PYTHON``.
    packages : tuple of str
        What has to be installed there.
    """

    def __init__(self, name: str, *packages: str) -> None:
        self._variable, self._packages = f"BAYESIEVE_{name.upper()}_PYTHON", packages
        built = Path("build") / name / "bin" / "python"
        self._built = built
        self._recipe = f"python -m venv build/{name} && {built} -m pip install {' '.join(packages)}"

    @property
    def _python(self) -> Path:
        return Path(os.environ.get(self._variable) or self._built.resolve()).expanduser()

    @property
    def exists(self) -> bool:
        """Whether the interpreter is there."""
        return self._python.exists()

    @property
    def recipe(self) -> str:
        """How to make the environment."""
        return f"{self._packages[0]} was left out; to compare with it: {self._recipe} (or set {self._variable})"

    def run(self, script: Path, *arguments: str | Path) -> None:
        """Run a script; what it has to say, it writes to files."""
        # Some peers look for their programs on the path. -P: a file beside the script is no module of theirs.
        path = os.pathsep.join([str(self._python.parent), os.environ.get("PATH", "")])
        done = subprocess.run(
            [self._python, "-P", script, *arguments],
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise RuntimeError(f"{script.name} failed in {self._python}:\n{done.stderr}")
