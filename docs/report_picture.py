"""Draw docs/_static/report.png, the picture of the demo's report; needs ``.[cli,plot,browser]`` and a Chromium.

python docs/report_picture.py
"""

import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright
from typer.testing import CliRunner

from bayesieve.cli.app import app

PLACE = Path(__file__).parent / "_static" / "report.png"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def main() -> None:
    """Run the demo, open its report and take a picture of what a reader sees first."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as player:
        result = CliRunner().invoke(app, ["demo", "--out", folder])
        assert result.exit_code == 0, result.output
        browser = player.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1100, "height": 945}, color_scheme="light")
        page.goto((Path(folder) / "report.html").as_uri())
        page.screenshot(path=PLACE)
        browser.close()
    Image.open(PLACE).convert("RGB").quantize(128).save(PLACE, optimize=True)  # a third of the bytes


if __name__ == "__main__":
    main()
