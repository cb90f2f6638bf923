mod environment;
mod gateway;
mod log;
mod proxy;
