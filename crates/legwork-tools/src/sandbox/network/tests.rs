mod address;
mod environment;
mod gateway;
mod host;
mod log;
mod proxy;
