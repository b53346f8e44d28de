"""Plug-ins for dglgo's ``dgl`` command, which has no hook of its own.

A ``.pth`` file imports this module when Python starts, so everything here
must be cheap and must not fail: it only puts a finder on ``sys.meta_path``.
When ``dglgo.cli`` is imported, the finder loads every entry point of the
group ``dglgo.plugins``. Each is a module or an object with

``register()`` (optional)
    called before dglgo builds its commands from its registries;
``extend(app)`` (optional)
    called afterwards with dglgo's Typer application.

A plug-in that fails is named in one line on stderr and skipped.
``DGLGO_PLUGINS=0`` in the environment switches all of them off.
"""

import os
import sys

GROUP = "dglgo.plugins"
TARGET = "dglgo.cli"


class _Finder:
    """Finds ``dglgo.cli`` as Python would, and lets plug-ins in around it."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != TARGET:
            return None
        from importlib.util import find_spec

        sys.meta_path.remove(_Finder)
        try:
            spec = find_spec(name)
        finally:
            sys.meta_path.insert(0, _Finder)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


class _Loader:
    """Runs a module between the two calls of the plug-ins."""

    def __init__(self, loader):
        self._loader = loader

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        plugins = _call(_load(), "register")
        self._loader.exec_module(module)
        _call(plugins, "extend", module.app)
        sys.meta_path.remove(_Finder)


def _load():
    """Import the plug-ins; ``(label, object)`` of those that can be."""
    from importlib.metadata import entry_points

    try:
        # One distribution may be seen twice, e.g. in its source folder.
        found = {(e.name, e.value): e for e in entry_points(group=GROUP)}
    except Exception as error:  # the metadata of any package may be damaged
        _skip("discovery", error)
        return []
    plugins = []
    for (name, value), entry in sorted(found.items()):
        label = f"{name} ({value})"
        try:
            plugins.append((label, entry.load()))
        except (Exception, SystemExit) as error:
            _skip(label, error)
    return plugins


def _call(plugins, function, *arguments):
    """Call one function of each plug-in; those in which it did not fail."""
    good = []
    for label, plugin in plugins:
        try:
            getattr(plugin, function, lambda *_: None)(*arguments)
        except (Exception, SystemExit) as error:
            _skip(label, error)
        else:
            good.append((label, plugin))
    return good


def _skip(label, error):
    reason = " ".join(f"{type(error).__name__}: {error}".split())
    print(f"dgl: plug-in {label} is skipped: {reason}", file=sys.stderr)


if os.environ.get("DGLGO_PLUGINS") != "0":
    sys.meta_path.insert(0, _Finder)
