"""The wheel is of one platform: the ledger's SQLite in it is native code. tools/release.mjs says which."""

import os

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PlatformTag(BuildHookInterface):
    def initialize(self, version, build_data):
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{os.environ['HUSHREC_WHEEL_PLATFORM']}"
