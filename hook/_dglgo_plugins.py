"""Plug-ins for dglgo's ``dgl`` command, which has no hook of its own.

``dglgo_plugins.pth`` beside this file puts a finder on ``sys.meta_path`` when
Python starts. The finder does nothing, and imports nothing, until ``dglgo.cli``
is imported. Then it asks this module, which loads every entry point of the
group ``dglgo.plugins``. Each is a module or an object with

``register()`` (optional)
    called before dglgo builds its commands from its registries;
``extend(app)`` (optional)
    called afterwards with dglgo's Typer application.

A plug-in that fails is named in one line on stderr and skipped.
``DGLGO_PLUGINS=0`` in the environment switches all of them off.
"""

import importlib.util
import os
import sys
from importlib.metadata import entry_points

GROUP = "dglgo.plugins"
TARGET = "dglgo.cli"

_busy = False


def find_spec():
    """Find ``dglgo.cli`` as Python would, to run with the plug-ins.

    Returns
    -------
    importlib.machinery.ModuleSpec or None
        None leaves the module to the other finders.
    """
    global _busy
    if _busy or os.environ.get("DGLGO_PLUGINS") == "0":
        return None
    _busy = True  # the search below asks our finder, too
    try:
        spec = importlib.util.find_spec(TARGET)
    finally:
        _busy = False
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


def _load():
    """Import the plug-ins; ``(label, object)`` of those that can be."""
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
