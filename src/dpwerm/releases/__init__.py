"""What may leave: rules, values and their certificates, written, read and verified in one place."""
