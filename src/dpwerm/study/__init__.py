"""What is public about a study: its declaration, how tables are read, how rows are encoded."""
