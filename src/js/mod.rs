//! Bindings to JS.
