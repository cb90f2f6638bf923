mod address;
mod host;
