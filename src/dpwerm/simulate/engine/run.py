"""Many tasks over all processors: the same results in the same order whatever their number.

A task is a frozen dataclass that holds all it depends on, its seed too, so no result can depend on
who did it or when.
"""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

from rich import progress
from rich.console import Console
from threadpoolctl import threadpool_limits

from dpwerm.errors import DpwermError, ParameterError

T = TypeVar("T")
R = TypeVar("R")

_PATIENCE = 0.2
"""Seconds between two looks at whether somebody wants to stop."""


class RunError(DpwermError):
    """A run could not go on."""


OnDone = Callable[[int, int], None]
"""Called with how many tasks are done and how many there are."""


def unseen(done: int, total: int) -> None:
    """Ignore how much is done."""


def processors() -> int:
    """Return how many processors this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run(
    work: Callable[[T], R],
    tasks: Sequence[T],
    *,
    workers: int | None = None,
    on_done: OnDone = unseen,
    on_result: Callable[[int, R], None] | None = None,
) -> list[R]:
    """Return the result of every task, in their order.

    work : function of a module, so that other processes can import it
    tasks : frozen dataclasses
    workers : int ≥ 1, all processors if left out; 1 works in this process. A script must start its
        work under ``if __name__ == "__main__"``, because other processes import it
    on_done : called first with none, then after each task
    on_result : called with the place of a task and its result as it comes, to keep it

    An interrupt (Ctrl-C) waits for the tasks under way and keeps their results; a second one ends
    them at once.
    """
    wanted = processors() if workers is None else workers
    if wanted < 1:
        raise ParameterError("workers must be at least 1")
    found: dict[int, R] = {}
    on_done(0, len(tasks))

    def take(place: int, result: R) -> None:
        if on_result is not None:
            on_result(place, result)
        found[place] = result
        on_done(len(found), len(tasks))

    count = min(wanted, len(tasks))
    with _noted_interrupt() as interrupted:
        if count > 1:
            _together(work, tasks, count, take, interrupted)
        else:
            with threadpool_limits(1):
                for place, task in enumerate(tasks):
                    take(place, work(task))
                    if interrupted.is_set():
                        break
    if interrupted.is_set():
        raise KeyboardInterrupt
    return [found[place] for place in range(len(tasks))]


def _together(
    work: Callable[[T], R],
    tasks: Sequence[T],
    workers: int,
    take: Callable[[int, R], None],
    interrupted: threading.Event,
) -> None:
    """Spread the tasks over other processes and take each result as it comes."""
    # Not "fork": a copy of this process would have its locks but not the threads that hold them.
    context = multiprocessing.get_context("spawn" if sys.platform == "win32" else "forkserver")
    # Loaded once, by the process that starts the others.
    context.set_forkserver_preload([work.__module__])
    others = set(multiprocessing.active_children())
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_settle_in) as pool:
        with _unheard_interrupt():
            futures = {pool.submit(work, task): place for place, task in enumerate(tasks)}
        try:
            while futures:
                if interrupted.is_set():
                    futures = {one: at for one, at in futures.items() if not one.cancel()}
                for future in wait(futures, _PATIENCE, FIRST_COMPLETED).done:
                    take(futures.pop(future), future.result())
        except BrokenProcessPool:
            raise RunError(
                "a process of this run was ended from outside, perhaps for lack of memory: fewer "
                'workers need less. A script must start its work under if __name__ == "__main__"'
            ) from None
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for child in set(multiprocessing.active_children()) - others:
                child.terminate()
            raise


@contextmanager
def _noted_interrupt() -> Iterator[threading.Event]:
    """Let a first Ctrl-C only be noted, so that no result is cut in two; a second one stops."""
    noted = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield noted
        return

    def note(_signal: int, _frame: FrameType | None) -> None:
        if noted.is_set():
            raise KeyboardInterrupt
        noted.set()

    before = signal.signal(signal.SIGINT, note)
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _unheard_interrupt() -> Iterator[None]:
    """Keep Ctrl-C from processes that are started now; this one hears of it afterwards."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _settle_in() -> None:
    """Prepare a worker: one thread, no Ctrl-C of its own, and no life after its parent's."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threadpool_limits(1)
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def bar(title: str) -> Iterator[OnDone]:
    """Show a bar on standard error while tasks are done."""
    console = Console(stderr=True)
    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(24),
        progress.MofNCompleteColumn(),
        progress.TimeElapsedColumn(),
        progress.TextColumn("left"),
        progress.TimeRemainingColumn(),
    )
    silent = not console.is_terminal
    with progress.Progress(*columns, console=console, disable=silent) as shown:
        task = shown.add_task(title, total=None)

        def on_done(done: int, total: int) -> None:
            shown.update(task, completed=done, total=total)

        yield on_done
