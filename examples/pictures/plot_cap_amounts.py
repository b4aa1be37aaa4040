"""
CAP of amounts
==============

Which share of all claim costs is in the insured years that a model finds riskiest? Two models of
simulated motor policies. The perfect curve ranks by claims per year, and is bent because these
differ.
"""

import capcurve as cap

policies = {
    model: cap.count_values("claims", model, data=cap.datasets.path("claims"), exposure="years")
    for model in ("model_a", "model_b")
}
cap.plot_cap(policies, q=0.2)
