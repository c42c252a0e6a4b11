//! The Cloud Agents API, simulated.
