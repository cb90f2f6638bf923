use std::collections::BTreeMap;

use super::*;

#[test]
fn a_command_is_told_where_the_servers_are() {
    let servers = Servers::start().unwrap();
    let mut command = Command::new("true");
    servers.tell(&mut command);
    let told: BTreeMap<_, _> = command.get_envs().collect();
    for (variable, is_there) in
        [(POSTGRES_URL, servers.postgres.is_some()), (REDIS_URL, servers.redis.is_some())]
    {
        assert_eq!(told.contains_key(std::ffi::OsStr::new(variable)), is_there);
    }
}
