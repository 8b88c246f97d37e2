"""Writes the handwritten digits that scikit-learn ships as CSV: the label, then 64 grey values of an image of 8 x 8.

    python digits.py OUT            writes OUT/train/digits.csv
    python digits.py --check DATA   compares with DATA/train/digits.csv, writes nothing
"""

import sys

from sklearn.datasets import load_digits

import files


def write(out, only):
    """Writes the file, if its name starts with `only`."""
    digits = load_digits()
    lines = ["label," + ",".join(f"p{i}" for i in range(digits.data.shape[1]))]
    for label, pixels in zip(digits.target, digits.data):
        lines.append(f"{label}," + ",".join(str(int(pixel)) for pixel in pixels))
    if "digits.csv".startswith(only):
        (out / "train").mkdir(parents=True, exist_ok=True)
        (out / "train/digits.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    sys.exit(files.main(__doc__, write))
