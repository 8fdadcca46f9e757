"""Settings of hypothesis: few and repeatable examples by default, many with ``--hypothesis-profile=slow``."""

from hypothesis import HealthCheck, settings

QUIET = [HealthCheck.too_slow, HealthCheck.filter_too_much]

settings.register_profile(
    "fast", max_examples=200, deadline=None, derandomize=True, database=None, suppress_health_check=QUIET
)
settings.register_profile("slow", max_examples=5000, deadline=None, suppress_health_check=QUIET)
settings.load_profile("fast")
