"""Documents with something to see: two organizations and their papers, made up, on this machine."""
