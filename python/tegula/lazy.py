"""Imports numpy on first use: it would take nine tenths of the time of `import tegula`."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
else:
    class _Numpy:
        def __getattr__(self, name: str) -> Any:
            import numpy
            value = getattr(numpy, name)
            setattr(self, name, value)                                        # not looked up again
            return value

    np = _Numpy()

__all__ = ['np']
