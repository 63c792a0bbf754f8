"""leasehold and its peers, measured side by side: `make bench-peers`.

W1  one client enqueues job by job, each call awaited
W2  one client enqueues in bulk: the batch API (the best of two sizes), else the fastest way that is
    documented
W3  one worker process drains what waits: from the go signal (all imported, worker not yet started)
    until the database shows every job complete. What keeps no such record (Redis, Huey): until the
    last handler ran
W4  the same, two worker processes released together
W5  an idle worker, 200 jobs 50 ms apart: from the return of the enqueue call to the handler's start
W6  as W3, out of a much deeper backlog
W7  as W3, while another session holds a REPEATABLE READ transaction open

The job is a no-op with about 60 bytes of JSON. Each measurement has a database of its own. Each
peer has an environment of its own (tools/peers.sh) and an adapter here, set up as we found it to be
fastest.
"""
