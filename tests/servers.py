"""Real database servers for tests: PostgreSQL and MariaDB, started on this machine for one run of the tests.

The fixtures :func:`postgres` and :func:`mariadb` skip where the server is not installed (Debian's packages
``postgresql`` and ``mariadb-server``). The test processes of one run share a server: the first starts it, and the last
that needed it stops it. Its data lie in a folder of the system's temporary files, which is removed with it.
"""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
from filelock import FileLock

PASSWORD = "p@ss/word"
"""Of the servers' administrators; it needs escaping in a URL, as passwords do."""

ESCAPED = "p%40ss%2Fword"


@dataclass(frozen=True)
class Server:
    """A running server.

    Attributes:
        scheme: What SQLAlchemy URLs of the server begin with.
        user: The administrator.
        port: The port on 127.0.0.1.
        client: Path of the command-line client.
    """

    scheme: str
    user: str
    port: int
    client: str

    def url(self, database: str = "") -> str:
        """The URL of a database, with user and password."""
        return f"{self.scheme}://{self.user}:{ESCAPED}@127.0.0.1:{self.port}/{database}"

    def new_database(self, script: str = "") -> str:
        """Make an empty database of its own for a test, run a script of SQL in it, and return its URL."""
        name = f"test_{uuid4().hex[:12]}"
        self.run(f"CREATE DATABASE {name};")
        if script:
            self.run(script, name)
        return self.url(name)

    def run(self, script: str | Path, database: str = "", *, stop: bool = True) -> None:
        """Run a text or file of SQL with the server's own client.

        Args:
            script: The SQL, as the client reads it: dumps with ``COPY`` and ``DELIMITER`` too.
            database: Name of the database, or its URL.
            stop: Whether to stop at the first error rather than go on with the next statement.
        """
        text = script.read_text(encoding="utf-8") if isinstance(script, Path) else script
        name = database.rpartition("/")[2]
        if self.scheme.startswith("postgresql"):
            options = ["-h", "127.0.0.1", "-p", str(self.port), "-U", self.user, "-q", "-X"]
            options += ["-v", f"ON_ERROR_STOP={int(stop)}", name or "postgres"]
        else:
            options = ["--no-defaults", "--protocol=tcp", "-h", "127.0.0.1", "-P", str(self.port), "-u", self.user]
            options += ["--default-character-set=utf8mb4", *([] if stop else ["--force"]), *([name] if name else [])]
        password = {"PGPASSWORD": PASSWORD, "MYSQL_PWD": PASSWORD}
        subprocess.run(
            [self.client, *options],
            input=text,
            env={**os.environ, **password},
            check=stop,
            stdout=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[Server]:
    """A PostgreSQL server."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
    program = programs[-1] if programs else shutil.which("postgres")
    if program is None:
        pytest.skip("there is no PostgreSQL server here: apt-get install postgresql")
    programs_folder = Path(program).parent

    def start(folder: Path, port: int) -> list[str]:
        control = [*_as_user("postgres", folder), str(programs_folder / "pg_ctl"), "-D", str(folder / "data"), "-w"]
        initdb = [*_as_user("postgres", folder), str(programs_folder / "initdb"), "-D", str(folder / "data")]
        password = ["--username=postgres", f"--pwfile={_file(folder / 'password', PASSWORD)}", "--auth=scram-sha-256"]
        _run([*initdb, "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", *password], folder)
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
        _run([*control, "-l", str(folder / "data/log"), "-o", options, "start"], folder)
        return [*control, "-m", "immediate", "stop"]

    with _shared(tmp_path_factory, worker_id, "postgres", start) as port:
        yield Server("postgresql+psycopg", "postgres", port, str(programs_folder / "psql"))


@pytest.fixture(scope="session")
def mariadb(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[Server]:
    """A MariaDB server."""
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/bin"])
    program, install, client = (shutil.which(name, path=path) for name in ("mariadbd", "mariadb-install-db", "mariadb"))
    if program is None or install is None or client is None:
        pytest.skip("there is no MariaDB server here: apt-get install mariadb-server")

    def start(folder: Path, port: int) -> list[str]:
        user, data = _as_user("mysql", folder), ["--no-defaults", f"--datadir={folder / 'data'}"]
        _run([*user, install, *data, "--auth-root-authentication-method=normal", "--skip-test-db"], folder)
        first = _file(folder / "first.sql", f"ALTER USER root@localhost IDENTIFIED BY '{PASSWORD}';")
        options = [f"--port={port}", "--bind-address=127.0.0.1", f"--socket={folder / 'socket'}"]
        options += [f"--pid-file={folder / 'pid'}", f"--init-file={first}", "--innodb-flush-log-at-trx-commit=0"]
        log = folder / "log"
        with log.open("wb") as file:
            server = subprocess.Popen(
                [*user, program, *data, *options], stdout=file, stderr=file, cwd=folder, start_new_session=True
            )
        deadline = time.monotonic() + 60
        while not _answers(port):
            if server.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"MariaDB does not start: {log.read_text()[-2000:]}")
            time.sleep(0.1)
        return ["kill", "-KILL", (folder / "pid").read_text().strip()]

    with _shared(tmp_path_factory, worker_id, "mariadb", start) as port:
        yield Server("mysql+pymysql", "root", port, client)


@contextmanager
def _shared(
    factory: pytest.TempPathFactory, worker: str, name: str, start: Callable[[Path, int], list[str]]
) -> Iterator[int]:
    """The port of a server that all processes of this run of the tests share.

    Args:
        factory: Makes the folder that the processes have in common.
        worker: Name of this process.
        name: Name of the server.
        start: Starts the server in a folder and on a port, and returns the command that stops it.
    """
    base = factory.getbasetemp() if worker == "master" else factory.getbasetemp().parent
    record, lock = base / f"{name}.json", FileLock(base / f"{name}.lock")
    with lock:
        if record.exists():
            server = json.loads(record.read_text())
        else:
            # The server's own user cannot reach pytest's folders, and the path of a socket has to be short.
            folder, port = Path(tempfile.mkdtemp(prefix=f"joingr-{name}-")), _free_port()
            server = {"folder": str(folder), "port": port, "stop": start(folder, port), "users": 0}
        record.write_text(json.dumps(server | {"users": server["users"] + 1}))
    try:
        yield server["port"]
    finally:
        with lock:
            server = json.loads(record.read_text())
            record.write_text(json.dumps(server | {"users": server["users"] - 1}))
            if server["users"] == 1:
                record.unlink()
                subprocess.run(server["stop"], stdout=subprocess.DEVNULL, cwd="/", check=True)
                shutil.rmtree(server["folder"], ignore_errors=True)


def _as_user(user: str, folder: Path) -> list[str]:
    """What a command begins with so that root runs it as a server's user, who owns the folder from now on."""
    if os.getuid() != 0:
        return []
    if shutil.which("runuser") is None:
        pytest.skip("root needs 'runuser' to start a database server as another user")
    shutil.chown(folder, user)
    return ["runuser", "-u", user, "--"]


def _file(path: Path, text: str) -> Path:
    """Write a small file that every user may read."""
    path.write_text(text, encoding="utf-8")
    path.chmod(0o644)
    return path


def _run(command: list[str], folder: Path) -> None:
    # A file rather than a pipe: a server that is started keeps it open.
    with (folder / "output").open("w+b") as output:
        if subprocess.run(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT).returncode:
            output.seek(0)
            pytest.fail(f"{' '.join(command)} failed: {output.read().decode(errors='replace')[-2000:]}")


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
