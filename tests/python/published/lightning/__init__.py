"""A stand-in for PyTorch Lightning on machines without it. It has what coxswain.lightning and its
recipe use, with the published signatures and order of calls of version 2.5."""
