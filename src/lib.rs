//! Runwire's engine: reads an agent run's event stream and says what it means.
#![warn(missing_docs)]
