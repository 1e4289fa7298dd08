# A future import after other statements.
import sys

from __future__ import annotations
