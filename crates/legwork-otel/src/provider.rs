//! Names of providers, as the conventions write them.

/// The provider and the name of a model that Legwork calls `provider:name`.
pub(crate) fn of(model: &str) -> (&str, &str) {
    let (provider, name) = model.split_once(':').unwrap_or(("legwork", model));
    (named(provider), name)
}

/// The provider as the conventions name it; one that they do not know has its own name.
fn named(provider: &str) -> &str {
    match provider {
        "" => "legwork",
        "azure" => "azure.ai.openai",
        "bedrock" => "aws.bedrock",
        "gemini" => "gcp.gemini",
        "mistral" => "mistral_ai",
        "vertex" => "gcp.vertex_ai",
        "xai" => "x_ai",
        other => other,
    }
}

#[cfg(test)]
mod tests;
