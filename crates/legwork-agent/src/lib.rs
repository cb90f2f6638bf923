//! The runtime of Legwork: lifecycle, hooks, driver, executor and the loop
