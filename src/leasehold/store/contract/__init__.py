"""The parts of what a store can do; `leasehold.store.base` has the whole, and the worker's own."""
