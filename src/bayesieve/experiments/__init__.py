"""Tables of published papers, computed again: one folder a paper, with the paper's figures beside ours."""
