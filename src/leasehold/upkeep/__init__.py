"""What keeps a queue healthy beside running jobs: each step is small, jittered and safe twice."""
