"""A proxy in two halves, as sandbox launchers build it: one outside, one inside, a local socket between them.

python3 bridge.py outside SOCKET                    an HTTP CONNECT and GET proxy on a local socket
python3 bridge.py refusing SOCKET                   one that answers 403 to everything
python3 bridge.py inside SOCKET PORT COMMAND...     127.0.0.1:PORT in this network leads to the local socket
"""

import os
import socket
import sys
import threading


def pump(source, sink):
    try:
        while piece := source.recv(65536):
            sink.sendall(piece)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def join(one, other):
    threading.Thread(target=pump, args=(one, other), daemon=True).start()
    pump(other, one)


def serve(server, handle):
    while True:
        connection, _ = server.accept()
        threading.Thread(target=handle, args=(connection,), daemon=True).start()


def forward(connection):
    head = b""
    while b"\r\n\r\n" not in head:
        head += connection.recv(4096)
    verb, target = head.split()[:2]
    if sys.argv[1] == "refusing":
        connection.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        connection.close()
        return
    place = target if verb == b"CONNECT" else target.split(b"/")[2]
    host, _, port = place.decode().rpartition(":")
    onward = socket.create_connection((host.strip("[]"), int(port)))
    if verb == b"CONNECT":
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    else:
        onward.sendall(head)
    join(connection, onward)


def main():
    if sys.argv[1] in ("outside", "refusing"):
        server = socket.socket(socket.AF_UNIX)
        server.bind(sys.argv[2])
        server.listen()
        os.chmod(sys.argv[2], 0o666)
        print("ready", flush=True)
        serve(server, forward)
    path, port = sys.argv[2], int(sys.argv[3])
    server = socket.create_server(("127.0.0.1", port))
    if os.fork():
        os.execvp(sys.argv[4], sys.argv[4:])

    def to_socket(connection):
        onward = socket.socket(socket.AF_UNIX)
        onward.connect(path)
        join(connection, onward)

    os.close(0)
    os.close(1)
    serve(server, to_socket)


main()
