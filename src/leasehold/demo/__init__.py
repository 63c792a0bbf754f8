"""Sample tasks and a feed of them: `leasehold serve --app leasehold.demo:application`."""

from leasehold.demo.page import application

__all__ = ["application"]
