"""A released rule in other words: as a Python function, as SQL, as an ONNX model."""
