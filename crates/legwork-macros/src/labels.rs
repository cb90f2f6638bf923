//! Tags and metadata: what people and programs know a tool by.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::ext::IdentExt as _;
use syn::meta::ParseNestedMeta;
use syn::{Error, Expr, ExprArray, ExprLit, Lit, LitStr, Path, Result, token};

const TAGS: &str = "`tags` is a list of texts, as in `tags = [\"write\", \"network\"]`";

const METADATA: &str = "`metadata` is a list of names and values in parentheses, as in \
                        `metadata(owner = \"the search team\", level = 3)`";

/// Tags and metadata, in the order in which they are written.
#[derive(Default)]
pub(crate) struct Labels {
    tags: Vec<LitStr>,
    metadata: Vec<(Ident, Expr)>,
}

impl Labels {
    /// Reads `tags = ["a", "b"]`.
    pub(crate) fn take_tags(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        let value: Expr = meta.value().map_err(|error| Error::new(error.span(), TAGS))?.parse()?;
        let Expr::Array(ExprArray { elems, .. }) = &value else {
            return Err(Error::new_spanned(value, TAGS));
        };
        for tag in elems {
            match tag {
                Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => self.tags.push(text.clone()),
                other => return Err(Error::new_spanned(other, TAGS)),
            }
        }
        Ok(())
    }

    /// Reads `metadata(name = value, ..)`.
    pub(crate) fn take_metadata(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        if !meta.input.peek(token::Paren) {
            return Err(meta.error(METADATA));
        }
        meta.parse_nested_meta(|entry| {
            let name = entry.path.require_ident().map_err(|_| entry.error(METADATA))?.clone();
            if self.metadata.iter().any(|(known, _)| *known == name) {
                return Err(entry.error(format!("`{name}` is given twice")));
            }
            let value = entry.value().map_err(|error| Error::new(error.span(), METADATA))?;
            self.metadata.push((name, value.parse()?));
            Ok(())
        })
    }

    /// The calls that set them on a `ToolSpec`.
    pub(crate) fn setters(&self, krate: &Path) -> TokenStream {
        let tags = self.tags.iter().map(|tag| quote!(.tag(#tag)));
        let metadata = self.metadata.iter().map(|(name, value)| {
            let name = name.unraw().to_string();
            quote!(.with_metadata(#name, #krate::__private::serde_json::json!(#value)))
        });
        quote!(#(#tags)* #(#metadata)*)
    }
}
