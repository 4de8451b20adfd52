"""What work took: seconds, bytes, memory, the latency and the costs of a configuration."""
