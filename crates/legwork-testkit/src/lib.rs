//! Test kit of Legwork: scripted models, virtual time, crashes everywhere, conformance suites
