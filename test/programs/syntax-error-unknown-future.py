# A future feature that does not exist.
from __future__ import teleportation
