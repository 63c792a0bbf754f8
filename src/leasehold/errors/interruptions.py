"""What is raised inside a running handler to stop it."""


class Interrupted(BaseException):  # it must pass a handler's `except Exception`
    """Raised inside a running handler to stop it. Clean up and let it pass."""


class TimedOut(Interrupted):
    """The attempt's deadline passed."""


class Cancelling(Interrupted):
    """Somebody cancelled the job."""


class LeaseGone(Interrupted):
    """The attempt's lease is lost or about to end: nothing it writes would be accepted."""


class Stopping(Interrupted):
    """The worker ends; the job is handed back without charge."""
