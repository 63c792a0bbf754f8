"""The store on PostgreSQL: one schema, `leasehold`, in a database the application already has."""
