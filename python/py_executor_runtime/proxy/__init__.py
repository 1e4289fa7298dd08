"""How runs without a network of their own reach the hosts that the operator named: a proxy, outside the containment.

Read it in this order: `boot` (the process starts), `main` (it listens), `place` (where runs come from), `connection`
(what becomes of one connection), `rules` (what is allowed).

The names are resolved here, and only after they were found to be allowed; every address is checked as well, and what is
connected to is the address that was checked. What goes through a tunnel isn't looked at: a run that may reach a host may
tell it anything, and a host that serves several names (TLS server name, HTTP Host) may be asked for any of them.
"""
