//! Model providers of Legwork, one module and one feature each
