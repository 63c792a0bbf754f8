"""The local clouds: official SDKs read them, and they are as strict as the real ones."""
