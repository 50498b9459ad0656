"""Where a repository keeps what the tool reads first, by the way from its root."""

from __future__ import annotations

CONFIG = "judge-contract.toml"
LOCK = "judge-contract.lock"
REGISTRY = "judges.toml"
MARKETPLACE = ".claude-plugin/marketplace.json"
MANIFEST = ".claude-plugin/plugin.json"  # of a plugin, from the plugin's own root
