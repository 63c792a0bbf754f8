-- Makes a batch; the same id again is the same batch. Primary key.
INSERT INTO leasehold_batch
  (id, tenant, name, parent, meta, on_end, on_failure, created_by, created_at)
VALUES
  (:id, :tenant, :name, :parent, :meta, :on_end, :on_failure, :created_by, :now)
ON CONFLICT (id) DO NOTHING
