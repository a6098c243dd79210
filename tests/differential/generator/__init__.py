"""Random C decision programs and their native runs, for testing the engine against the compiled program."""

from .model import GeneratedProgram, Mode, Port, PortKind, Vector
from .program import generate

__all__ = ["GeneratedProgram", "Mode", "Port", "PortKind", "Vector", "generate"]
