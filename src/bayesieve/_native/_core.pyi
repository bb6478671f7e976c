import numpy as np
import numpy.typing as npt

def count_codes(
    codes: npt.NDArray[np.uint8] | npt.NDArray[np.uint16],
    target: npt.NDArray[np.int32],
    weights: npt.NDArray[np.int64],
    offsets: npt.NDArray[np.int64],
    n_classes: int,
) -> npt.NDArray[np.int64]: ...
