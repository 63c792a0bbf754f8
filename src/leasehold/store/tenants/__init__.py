"""A store as one tenant may use it: what is others' is not there, what is all's is refused."""
