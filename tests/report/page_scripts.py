"""Scripts of the page outside a browser."""

import json
import shutil
import subprocess

from bayesieve.report.markup import read_part

NODE = shutil.which("node") or shutil.which("nodejs")


def evaluate(parts, expression, data=None):
    """Return the value of an expression after some scripts of the page, which know the data of a summary."""
    scripts = [f"const data = {json.dumps(data or {})};", *map(read_part, parts)]
    scripts.append(f"process.stdout.write(JSON.stringify({expression}));")
    run = subprocess.run([NODE, "-"], input="\n".join(scripts), capture_output=True, text=True, check=True, timeout=60)
    return json.loads(run.stdout)
