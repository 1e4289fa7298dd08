"""What is the most that a run may ask of the proxy."""

from __future__ import annotations

#: Places at a time; the next ones wait.
MAX_PLACES = 256
#: Connections of a place at a time; the next ones wait in the queue of its listener.
MAX_CONNECTIONS = 64
MAX_REQUEST_HEAD_BYTES = 16 * 1024
#: Servers send many cookies, and it is not their fault.
MAX_RESPONSE_HEAD_BYTES = 64 * 1024
#: From the connection until it is known what is asked for.
HANDSHAKE_SECONDS = 10.0
#: For one address, and for all of them and the look-up of the name.
CONNECT_SECONDS = 10.0
CONNECT_ALL_SECONDS = 30.0
#: Without a byte in either direction.
IDLE_SECONDS = 300.0
#: The same after the client has ended its side: what a run that is over leaves may look like that.
HALF_OPEN_SECONDS = 30.0
#: How long what was written may take to arrive when a connection ends.
LINGER_SECONDS = 2.0
#: Denials told to a place, for one run.
MAX_REPORTS = 20
