"""What people read: reports, summaries, plans and figures."""
