"""Reader of text collections: one archive with a folder a half, in it a folder a class, in it a file a message."""

import io
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np

from bayesieve.datasets.sample import Sample

__all__ = ["Messages"]


@dataclass(frozen=True)
class Messages:
    """Messages in latin-1, in the order of class and number."""

    folder: str
    target_names: tuple[str, ...]

    feature_names = ()

    def read(self, contents: Sequence[bytes], part: str) -> Sample:
        """Read one half of the archive."""
        position = {group: i for i, group in enumerate(self.target_names)}
        found = []
        with tarfile.open(fileobj=io.BytesIO(contents[0])) as archive:
            for member in archive:
                half, *rest = PurePosixPath(member.name).parts
                if not member.isfile() or half != f"{self.folder}-{part}":
                    continue
                group, number = rest
                file = archive.extractfile(member)
                found.append((position[group], int(number), file.read().decode("latin-1") if file else ""))
        found.sort()
        return Sample([text for _, _, text in found], np.array([group for group, _, _ in found], dtype=np.int64))
