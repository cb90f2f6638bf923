use super::ModelId;

#[test]
fn ids_profiles_and_arns_are_taken_apart() {
    let check = |id: &str, maker: &str, name: &str| {
        let read = ModelId::of(id);
        assert_eq!((read.maker, read.name), (maker, name), "{id}");
    };
    let claude = "claude-sonnet-4-5-20250929-v1:0";
    check("anthropic.claude-sonnet-4-5-20250929-v1:0", "anthropic", claude);
    check("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "anthropic", claude);
    let profile = "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.";
    check(&format!("{profile}{claude}"), "anthropic", claude);
    check("global.amazon.nova-2-lite-v1:0", "amazon", "nova-2-lite-v1:0");
    check("openai.gpt-oss-120b-1:0", "openai", "gpt-oss-120b-1:0");
    let own = "arn:aws:bedrock:us-east-1:1:application-inference-profile/a1b2";
    check(own, "", "a1b2");
    check("deepseek.v3.2", "deepseek", "v3.2");
}

#[test]
fn cache_points_are_for_models_that_take_them() {
    let takes = |id: &str| (ModelId::of(id).is_cached(), ModelId::of(id).caches_tools());
    assert_eq!(takes("us.anthropic.claude-sonnet-4-6"), (true, true));
    assert_eq!(takes("us.amazon.nova-micro-v1:0"), (true, false));
    for id in ["anthropic.claude-v2", "amazon.titan-text", "qwen.qwen3-32b-v1:0", "a1b2"] {
        assert_eq!(takes(id), (false, false), "{id}");
    }
}
