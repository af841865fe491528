"""The paper's synthetic experiment: Table II, Figure 1, and the robustness checks of the text."""
