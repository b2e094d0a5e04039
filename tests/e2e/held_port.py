"""Ports that stay with whoever chose them, also while nobody listens there."""
import socket


class _Held(socket.socket):
    def __del__(self):  # it is there for as long as somebody has it
        self.close()


def hold_port(port=0, shared=False):
    """A socket that has this port of 127.0.0.1 (0: one that the system chooses) and does not listen: who connects is refused. While
    it is there, nobody gets the port, by number or by chance, but who binds it with SO_REUSEADDR, as servers do. `shared`: it may
    be held already, by the server that was there before."""
    held = _Held()
    if shared:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", port))
    # Not before: two that both bind with it would both get the port.
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    return held
