"""A companion that is served: `python -m bench.memory_chat_server HOME`, until SIGTERM."""

from __future__ import annotations

import gc
import json
import sys
from pathlib import Path

from leasehold.web.listening import Listening
from leasehold.web.serving import address_of, open_socket
from leasehold_memory.companion import Companion
from leasehold_memory.settings import open_settings
from leasehold_memory.web.alone import Alone
from leasehold_memory.web.app import make_app


def main() -> int:
    home = Path(sys.argv[1])
    settings = open_settings(home)
    token = settings.token.reveal()
    settings.close()
    with open_socket("127.0.0.1", 0) as opened:
        told = {"address": address_of(opened), "token": token}
        alone = Alone(make_app(Companion(home)), token=lambda: token)
        listening = Listening(
            alone,
            alone.ending,
            on_start=lambda: print(json.dumps(told), flush=True),
            access_log=False,
        )
        gc.freeze()  # as `leasehold-memory run` does
        return not listening.serve(opened)


if __name__ == "__main__":
    sys.exit(main())
