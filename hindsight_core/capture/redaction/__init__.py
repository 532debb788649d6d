"""Take secrets and personal numbers out of a text before it is stored; the type stays."""

from hindsight_core.capture.redaction.redactor import Finding, Redacted, Redactor, redact

__all__ = ["Finding", "Redacted", "Redactor", "redact"]
