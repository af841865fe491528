"""The digest of a file's content: SHA-256 over the canonical JSON of everything else in it."""

import hashlib
import json
from typing import Any


def digest_of(content: dict[str, Any]) -> str:
    """Return the digest of plain content, its own digest left out."""
    rest = {key: value for key, value in content.items() if key != "digest"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return "sha256:" + hashlib.sha256(text.encode("ascii")).hexdigest()
