# SPDX-License-Identifier: BSD-3-Clause
"""Reader of text collections: an archive with one folder per subset, folders per class, and one file per message."""

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

    def read(self, contents: Sequence[bytes], subset: str) -> Sample:
        """Read one subset of the archive."""
        position = {group: i for i, group in enumerate(self.target_names)}
        messages = []
        with tarfile.open(fileobj=io.BytesIO(contents[0])) as archive:
            for member in archive:
                folder, *rest = PurePosixPath(member.name).parts
                if not member.isfile() or folder != f"{self.folder}-{subset}":
                    continue
                group, number = rest
                file = archive.extractfile(member)
                messages.append((position[group], int(number), file.read().decode("latin-1") if file else ""))
        messages.sort()
        return Sample([text for _, _, text in messages], np.array([group for group, _, _ in messages], dtype=np.int64))
