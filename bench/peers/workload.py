"""What a benchmark is made of. Workers of every library import this, so it keeps to Python 3.7."""
import math
import os
from dataclasses import dataclass, field
from typing import Callable, Dict, Optional, Sequence, Tuple

TILE = 512


@dataclass(frozen=True)
class Sizes:
    """How large the data is; scale 1 is what the ratios to reach are stated for."""
    side: int
    points: int
    rows: int
    fragments: int
    many_fragments: Tuple[int, ...]

    @staticmethod
    def of(scale):
        side = max(2, round(8192 / TILE * math.sqrt(scale)))
        side = side * TILE
        return Sizes(side=side, points=max(10_000, round(1_250_000 * scale) * 4), rows=max(100_000, round(5_000_000 * scale) * 4),
                     fragments=max(20, round(500 * math.sqrt(scale))),
                     many_fragments=(10, 100, 1000, 10_000) if scale >= 1 else (10, 100, 1000))


@dataclass
class Action:
    """One side of a workload, ready to run. `before` is not timed and hands its value to `run`; `digest` makes what `run`
    returned comparable with the other sides' (None: it is a path, and the judge looks at it)."""
    run: Callable
    before: Callable = lambda: None
    digest: Optional[Callable] = None
    child: bool = False  # a child process does it: memory is the child's


@dataclass
class Workload:
    name: str
    sides: Dict[str, Callable]        # library -> function(env, *args) -> Action
    args: tuple = ()
    needs: Sequence[tuple] = ()       # data sets: (name, argument, ...)
    reach: Optional[float] = None     # the fastest peer's time / tegula's time
    judge: Optional[tuple] = None     # (library, function(env, path) -> digest), for what was written
    synced: bool = True               # False: fsync does nothing, for every library alike
    threads: Optional[int] = None
    reference: Optional[str] = None   # growth: another workload of the group
    amount: float = 1                 # growth: bytes, cells, fragments
    keep: Optional[float] = None      # growth: the reference's time per amount / this one's
    limits: Sequence[str] = ()        # sides that are limits of the machine, not peers
    unit: str = 's'                   # of what `run` gives when it measures by itself: 's' or 'bytes'


@dataclass
class Dataset:
    library: str                      # that makes it
    make: Callable                    # function(env, path, *args)
    needs: Callable = lambda *args: ()
    synced: bool = False


@dataclass
class Measured:
    """Returned by a `run` that knows its figure better than the clock around it."""
    value: float
    result: object = None


@dataclass
class Env:
    """What a side knows of its surroundings."""
    data_folder: str
    scratch: str
    threads: int
    settings: dict = field(default_factory=dict)
    count: int = 0

    def data(self, name, *args):
        return os.path.join(self.data_folder, '-'.join([name] + [str(a) for a in args]))

    def fresh(self):
        """A path at which nothing is yet."""
        self.count += 1
        return os.path.join(self.scratch, str(self.count))
