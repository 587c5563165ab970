"""Who holds the parts of a corpus: this process, or actors of Ray. Both do the same, part by part."""

import os
import resource
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import torch

from joingr_pyg.errors import JoinGRError, MissingPackageError
from joingr_pyg.models.rounds import First
from joingr_pyg.sharding.part import Part, PartFacts, Question, Setup


class Whole(NamedTuple):
    """What the parts share, as of some version of the corpus.

    Attributes:
        version: Number of the version.
        shared: The sum of what all parts share, in a list of one; for other processes, a reference to it.
    """

    version: int
    shared: Sequence[Any]


class Task(NamedTuple):
    """What a worker is asked of one part.

    Attributes:
        path: The folder of the part.
        first: Where it begins in the whole corpus.
    """

    path: Path
    first: First


class Workers(Protocol):
    """Holders of parts."""

    def facts(self, paths: Sequence[Path]) -> list[PartFacts]:
        """The facts of each part."""

    def put(self, shared: Any) -> Any:
        """Put an object where all workers can read it."""

    def answers(self, tasks: Sequence[Task], whole: Whole, question: Question, received: Sequence[Any]) -> list[Any]:
        """What each part finds in the next round of a question."""

    def peak_gb(self) -> list[float]:
        """The most memory that each process of its own ever held, in gigabytes."""

    def close(self) -> None:
        """Let go of all parts."""


@dataclass
class _Held:
    """A part in memory, and the version of what it shares with others."""

    part: Part
    version: int = -1


class PartHolder:
    """Holds some parts in one process. How they rank is given in a list of one, as is what they share."""

    def __init__(self) -> None:
        self._held: dict[Path, _Held] = {}

    def facts(self, path: Path, setup: Sequence[Any]) -> PartFacts:
        """The facts of a part, which is read if it is not in memory."""
        return self._hold(path, setup).part.facts()

    def keep(self, paths: Sequence[Path]) -> None:
        """Forget all parts but these."""
        self._held = {path: held for path, held in self._held.items() if path in paths}

    def answer(
        self, task: Task, setup: Sequence[Any], whole: Whole, question: Question, received: Sequence[Any]
    ) -> Any:
        """What a part finds in the next round of a question."""
        held = self._hold(task.path, setup)
        if held.version != whole.version:
            shared = self._get(whole.shared)
            if shared is not None:
                held.part.share(shared)
            held.version = whole.version
        return held.part.answer(question, task.first, received)

    def _hold(self, path: Path, setup: Sequence[Any]) -> _Held:
        if path not in self._held:
            self._held[path] = _Held(Part(path, self._get(setup)))
        return self._held[path]

    def _get(self, shared: Sequence[Any]) -> Any:
        """The object in a list of one."""
        (value,) = shared
        return value


class LocalWorkers:
    """Holds all parts in this process.

    Args:
        setup: How parts rank.
    """

    def __init__(self, setup: Setup) -> None:
        self._holder, self._setup = PartHolder(), [setup]

    def facts(self, paths: Sequence[Path]) -> list[PartFacts]:
        self._holder.keep(paths)
        return [self._holder.facts(path, self._setup) for path in paths]

    def put(self, shared: Any) -> Any:
        return shared

    def answers(self, tasks: Sequence[Task], whole: Whole, question: Question, received: Sequence[Any]) -> list[Any]:
        return [self._holder.answer(task, self._setup, whole, question, received) for task in tasks]

    @property
    def parts(self) -> list[Part]:
        """The parts in memory."""
        return [held.part for held in self._holder._held.values()]

    def peak_gb(self) -> list[float]:
        return []

    def close(self) -> None:
        self._holder.keep([])


class RayWorkers:
    """Actors of Ray that hold the parts, part by part in turn.

    An actor that dies is started again, and reads its parts again; what it was asked is asked once more.

    Args:
        setup: How parts rank.
        actors: Number of actors.
        resources: Arguments of ``ray.remote``: the resources of an actor.

    Raises:
        JoinGRError: If Ray is not installed.
    """

    def __init__(self, setup: Setup, actors: int, resources: dict[str, Any]) -> None:
        try:
            import ray
        except ImportError:
            raise MissingPackageError("A corpus on actors", "ray", "ray") from None
        self._started = not ray.is_initialized()
        if self._started:
            ray.init(include_dashboard=False, log_to_driver=False, configure_logging=False)
        kind = ray.remote(max_restarts=-1, max_task_retries=-1, **resources)(_Actor)
        self.actors: list[Any] = [kind.remote() for _ in range(actors)]
        self._setup = [ray.put(setup)]

    def facts(self, paths: Sequence[Path]) -> list[PartFacts]:
        wanted = {number: self._of(paths, number) for number in range(len(self.actors))}
        _results([self.actors[number].keep.remote(own) for number, own in wanted.items()])
        return _results([self._actor(number).facts.remote(path, self._setup) for number, path in enumerate(paths)])

    def put(self, shared: Any) -> Any:
        import ray

        return ray.put(shared)

    def answers(self, tasks: Sequence[Task], whole: Whole, question: Question, received: Sequence[Any]) -> list[Any]:
        import ray

        given = ray.put((self._setup, whole, question, list(received)))
        return _results([self._actor(number).answer_given.remote(task, given) for number, task in enumerate(tasks)])

    def peak_gb(self) -> list[float]:
        return _results([actor.peak_gb.remote() for actor in self.actors])

    def close(self) -> None:
        import ray

        for actor in self.actors:
            ray.kill(actor)
        self.actors = []
        if self._started:
            ray.shutdown()

    def _actor(self, part: int) -> Any:
        return self.actors[part % len(self.actors)]

    def _of(self, paths: Sequence[Path], actor: int) -> list[Path]:
        """The parts of an actor."""
        return list(paths[actor :: len(self.actors)])


class _Actor(PartHolder):
    """A :class:`PartHolder` in a process of Ray's."""

    def __init__(self) -> None:
        torch.set_num_threads(1)
        super().__init__()

    def answer_given(self, task: Task, given: tuple[Sequence[Any], Whole, Question, Sequence[Any]]) -> Any:
        """:meth:`answer`, where all but the part is one object that every actor reads."""
        return self.answer(task, *given)

    def _get(self, shared: Sequence[Any]) -> Any:
        import ray

        return ray.get(super()._get(shared))

    def peak_gb(self) -> float:
        """The most memory that this process ever held, in gigabytes."""
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6

    def process(self) -> int:
        """The number of the process."""
        return os.getpid()


def _results(calls: Sequence[Any]) -> list[Any]:
    """The results of calls of actors.

    Raises:
        JoinGRError: What a part raised.
    """
    import ray

    try:
        return ray.get(list(calls))
    except ray.exceptions.RayTaskError as error:
        cause = error.cause
        if isinstance(cause, JoinGRError):
            raise cause from None
        raise
