use super::*;

#[test]
fn a_project_tightens_a_limit_and_never_raises_it() {
    let user = |limit| Some(Sourced::new(limit, Source::Environment("user")));
    let project = |limit| Some(Sourced::new(limit, Source::Environment("project")));
    let check = |default, files, value, source: &str| {
        let found = limit(default, files);
        assert_eq!((found.value, found.source.to_string()), (value, source.to_owned()));
    };
    check(Some(100), [None, None], Some(100), "default");
    check(Some(100), [None, project(99)], Some(99), "project");
    check(Some(100), [None, project(101)], Some(100), "default");
    check(Some(100), [user(300), project(200)], Some(200), "project");
    check(Some(100), [user(300), project(300)], Some(300), "user");
    check(Some(100), [user(10), project(20)], Some(10), "user");
    check(None, [None, project(20)], Some(20), "project");
    check(None::<u64>, [None, None], None, "default");
}
