"""Makes random PyTorch programs, judges them by eager PyTorch, shrinks findings."""
