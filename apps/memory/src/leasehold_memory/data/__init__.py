"""Tables, views and all statements over them."""
