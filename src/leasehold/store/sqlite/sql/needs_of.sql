-- What was this job made to wait for? Primary key.
SELECT needs
FROM leasehold_job
WHERE id = :id
AND needs IS NOT NULL
