"""Groups of arrays."""
from __future__ import annotations

from typing import Any, Dict, Iterator, Mapping, NamedTuple, Tuple

from .attrs import Attributes
from .capabilities import capabilities


class Member(NamedTuple):
    name: str
    uri: str
    kind: str


class Group(Mapping[str, Any]):
    """A TileDB or zarr group, or a plain folder that holds arrays: g['a'] opens the member a."""

    def __init__(self, handle: Any, uri: str, mode: str, options: Dict[str, Any]):
        self._handle, self._uri, self._mode, self._options = handle, uri, mode, options

    @property
    def uri(self) -> str:
        return self._uri

    @property
    def mode(self) -> str:
        return self._mode

    @property
    def format(self) -> str:
        return str(self._handle.format)

    @property
    def members(self) -> Tuple[Member, ...]:
        return tuple(Member(*m) for m in self._handle.members())

    @property
    def attrs(self) -> Attributes:
        return Attributes(self._handle, not capabilities(self).typed_metadata, self._check_writable)

    def _check_writable(self) -> None:
        if self._mode == 'r':
            raise PermissionError(f"{self._uri} was opened for reading; open it with mode='w'")

    def _member_options(self) -> Dict[str, Any]:
        return {k: v for k, v in self._options.items() if k != 'format'}

    def __getitem__(self, name: str) -> Any:
        from . import main
        first, _, rest = name.strip('/').partition('/')
        for member in self.members:
            if member.name == name or member.uri == name:
                return main._reopen(member.uri, self._mode, self._member_options())
        for member in self.members:
            if rest and member.name == first:
                return main._reopen(member.uri, self._mode, self._member_options())[rest]
        raise KeyError(f'there is no member {name!r}; known: {", ".join(repr(m.name) for m in self.members) or "none"}')

    def __iter__(self) -> Iterator[str]:
        return iter([m.name for m in self.members])

    def __len__(self) -> int:
        return len(self.members)

    def arrays(self) -> Tuple[str, ...]:
        return tuple(m.name for m in self.members if m.kind == 'array')

    def groups(self) -> Tuple[str, ...]:
        return tuple(m.name for m in self.members if m.kind == 'group')

    def add(self, uri: Any, name: str = '', absolute: bool = False) -> None:
        """Adds an array or group as a member (TileDB). URIs below the group are stored relative to it."""
        from . import main
        self._check_writable()
        self._handle.add(main._uri(uri, self._options.get('store')), name, absolute)

    def remove(self, name: str) -> None:
        """Removes a member from the group without deleting it (TileDB)."""
        self._check_writable()
        self._handle.remove(name)

    def consolidate(self) -> None:
        """Makes or renews the consolidated metadata of a zarr group, a copy of the documents of everything below it that other
        programs read. What tegula changes later keeps it in step."""
        self._check_writable()
        self._handle.consolidate()

    def create(self, name: str, **what: Any) -> Any:
        """Creates an array in the group, and groups for the folders of its name that are none; see tegula.create()."""
        from . import main
        self._check_writable()
        what.setdefault('format', self.format)
        what.setdefault('store', self._options.get('store'))
        made = main.create(self._below(name), **what)
        self._joined(made.uri, name)
        return made

    def create_group(self, name: str) -> 'Group':
        from . import main
        self._check_writable()
        made = main.create_group(self._below(name), format=self.format, store=self._options.get('store'))
        self._joined(made.uri, name)
        return made

    def _below(self, name: str) -> str:
        return f'{self._uri}/{name}' if self._uri else name

    def _joined(self, uri: str, name: str) -> None:
        """Adds a new array or group to a TileDB group. The members of a zarr group are what lies below it: the handle, which
        knows those from when it was opened, is opened again."""
        from . import main
        if capabilities(self).members:
            self.add(uri, name)
        else:
            self._handle = main._open_handle(self._uri, self._mode, self._options)

    def close(self) -> None:
        """Does nothing: groups keep no files open."""

    def __enter__(self) -> 'Group':
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def __reduce__(self) -> Any:
        from . import keys, main
        return main._reopen, (self._uri, self._mode, keys.travelling(self._options, self._uri))

    def __repr__(self) -> str:
        names = ', '.join(m.name + ('/' if m.kind == 'group' else '') for m in self.members)
        return f'<tegula.Group {self._uri}: {self.format}, {names or "empty"}>'

    def _repr_html_(self) -> str:
        from . import html
        return html.group_html(self)
