"""Tables of published papers, recomputed: one folder per paper, with the paper's figures beside ours."""
