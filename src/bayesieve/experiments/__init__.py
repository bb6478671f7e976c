"""Tables of published papers, recomputed: one folder per paper, with the published values beside ours."""
