mod address;
mod host;
mod proxy;
