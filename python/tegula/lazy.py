"""numpy, imported when the first thing of it is asked for: of the time that `import tegula` takes, nine tenths would be numpy's."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
else:
    class _Numpy:
        def __getattr__(self, name: str) -> Any:
            import numpy
            value = getattr(numpy, name)
            setattr(self, name, value)                                        # found at once the next time
            return value

    np = _Numpy()

__all__ = ['np']
