"""What applications on leasehold are made of, so that each of them writes only what is its own.

    leasehold.kit.data      tables beside the queue's: connections, columns, writes, migrations
    leasehold.kit.settings  what an operator says, in variables of the environment
    leasehold.kit.errors    what can go wrong in there
    leasehold.kit.servers   APIs of others on this machine, for tests and demos

Nothing is imported by the package itself: what needs SQLAlchemy is `leasehold[apps]`.
"""
