"""As much of PyTorch Lightning as coxswain.lightning and its recipe use, by the published
signatures and order of calls of version 2.5. For machines without the library."""
