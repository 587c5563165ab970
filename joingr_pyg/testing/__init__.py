"""Tools for tests and benchmarks: the literal algorithm and synthetic inputs."""
