mod address;
mod gateway;
mod host;
mod log;
mod proxy;
