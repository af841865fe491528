"""The problem: F(θ) = Σ_i w_i ℓ(y_i x_iᵀθ) + γ R(θ); losses, regularisers and the one objective."""
