"""Hosts in network namespaces of this machine, joined by a bridge; each runs a Dask scheduler, a worker or a client."""

import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

PORT = 8786


def why_not():
    """Return why there can be no hosts here, or None."""
    if not sys.platform.startswith("linux") or not hasattr(os, "geteuid") or os.geteuid() != 0:
        return "network namespaces need root on Linux"
    if shutil.which("ip") is None:
        return "network namespaces need iproute2"
    probe = f"bs{uuid.uuid4().hex[:6]}"
    if subprocess.run(["ip", "netns", "add", probe], capture_output=True, check=False).returncode:
        return "the kernel forbids network namespaces"
    subprocess.run(["ip", "netns", "del", probe], check=True)
    return None


class Hosts:
    """Namespaces named after a prefix; ``delay`` is that of each link where the kernel has netem."""

    def __init__(self, folder, delay="10ms", loss="0.5%"):
        self.folder, self._prefix, self._running = Path(folder), f"b{uuid.uuid4().hex[:5]}", {}
        self._names = []
        self.has_delay = False
        self._run("ip", "netns", "add", f"{self._prefix}-switch")
        self._inside("switch", "ip", "link", "add", "bridge0", "type", "bridge")
        self._inside("switch", "ip", "link", "set", "bridge0", "up")
        self._delay, self._loss = delay, loss

    def add(self, name):
        """Make a host, and return its address."""
        number = len(self._names) + 1
        self._names.append(name)
        host, link = f"{self._prefix}-{name}", f"{self._prefix}p{number}"
        self._run("ip", "netns", "add", host)
        self._run("ip", "link", "add", link, "type", "veth", "peer", "name", "net0", "netns", host)
        self._run("ip", "link", "set", link, "netns", f"{self._prefix}-switch")
        self._inside("switch", "ip", "link", "set", link, "master", "bridge0", "up")
        self._inside(name, "ip", "address", "add", f"10.77.0.{number}/24", "dev", "net0")
        for device in ("lo", "net0"):
            self._inside(name, "ip", "link", "set", device, "up")
        netem = ["tc", "qdisc", "add", "dev", "net0", "root", "netem", "delay", self._delay, "loss", self._loss]
        self.has_delay = self._inside(name, *netem, check=False) == 0
        return f"10.77.0.{number}"

    def cut(self, name):
        """Take a host off the network."""
        self._inside(name, "ip", "link", "set", "net0", "down")

    def heal(self, name):
        """Put a host back on the network."""
        self._inside(name, "ip", "link", "set", "net0", "up")

    def start(self, name, *command):
        """Run a Python program on a host."""
        whole = ["ip", "netns", "exec", f"{self._prefix}-{name}", sys.executable, *command]
        with (self.folder / f"{name}.log").open("ab") as log:
            options = {"stdout": log, "stderr": subprocess.STDOUT, "start_new_session": True, "cwd": self.folder}
            self._running[name] = subprocess.Popen(whole, **options)
        return self._running[name]

    def run(self, name, *command):
        """Run a Python program on a host and wait for its end."""
        self._inside(name, sys.executable, *command, check=False)

    def kill(self, name):
        """End the program that was started on a host, and its children, at once."""
        process = self._running.pop(name)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def start_scheduler(self):
        """Start a scheduler on its host."""
        options = ["scheduler", "--host", "10.77.0.1", "--port", str(PORT), "--no-dashboard"]
        self.start("scheduler", "-m", "dask", *options)
        self._await_port()

    def start_worker(self, name, memory="1GB"):
        """Start a worker on a host, with a nanny that starts it again."""
        options = ["worker", f"tcp://10.77.0.1:{PORT}", "--nthreads", "1", "--memory-limit", memory, "--no-dashboard"]
        self.start(name, "-m", "dask", *options, "--name", name, "--death-timeout", "120")

    def close(self):
        """End all processes and remove the hosts."""
        for name in list(self._running):
            self.kill(name)
        for name in ("switch", *self._names):
            self._run("ip", "netns", "del", f"{self._prefix}-{name}")

    def _await_port(self):
        probe = f"import socket; socket.create_connection(('10.77.0.1', {PORT}), 1).close()"
        for _ in range(120):
            if self._inside("scheduler", sys.executable, "-c", probe, check=False) == 0:
                return
            time.sleep(0.5)
        raise TimeoutError("the scheduler does not listen")

    def _inside(self, name, *command, check=True):
        return self._run("ip", "netns", "exec", f"{self._prefix}-{name}", *command, check=check)

    @staticmethod
    def _run(*command, check=True):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if check and done.returncode:
            raise OSError(f"{' '.join(command)}: {done.stderr}")
        return done.returncode
