mod address;
mod host;
mod log;
mod proxy;
