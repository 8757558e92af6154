"""Exports small PyTorch programs and records what they compute."""
