"""What tests and the demo say to the model's server, wherever it runs."""

from __future__ import annotations

from leasehold.kit.servers import controls


class Controls(controls.Controls):
    """What is said to any server, and what becomes of answers to one kind of question."""

    def fail(
        self,
        how: int | str,
        *,
        times: int = 1,
        path: str = "",
        skip: int = 0,
        retry_after: float | None = None,
        what: str = "",
    ) -> None:
        """Let something go wrong; `how` is also a name of `spoiling.SPOILED`.

        `what` is the question that it happens to, an `Ask` such as `facts`, or `embeddings`;
        without it, all.
        """
        self.do(
            "fail",
            how=how,
            times=times,
            path=path,
            skip=skip,
            retry_after=retry_after,
            what=what,
        )

    def recover(self) -> None:
        """Forget all trouble and delays that are still to come."""
        self.do("recover")

    def pace(self, pause: float) -> None:
        """Let so many seconds pass between the pieces of a streamed reply from now on."""
        self.do("pace", pause=pause)

    def asked(self, what: str = "") -> int:
        """Return how often a question was asked, an `Ask` such as `facts`; or all of them."""
        number: int = self.do("asked", what=what)
        return number
