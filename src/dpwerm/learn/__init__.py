"""The general private classifier and the one fit pipeline that everything shares."""
