"""Many tenants' papers: extracted with consent and a known price, classified, and found."""
