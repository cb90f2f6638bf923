//! What is asked about a call before it runs: its validator, and a person.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned as _;
use syn::{Error, Expr, ExprLit, Lit, Path, Result};

use crate::parameter::Parameter;

const APPROVAL: &str = "`approval` is \"always\", \"each\", \"once\" or \"once_per_session\", or a \
                        value of the type `Ask`, as in `approval = Ask::once().because(\"..\")`";

/// What is asked about a call before it runs.
#[derive(Default)]
pub(crate) struct Checks {
    /// A function of the arguments, by reference.
    pub(crate) validate: Option<Expr>,
    pub(crate) approval: Option<Approval>,
}

/// Which calls a person is asked about.
pub(crate) enum Approval {
    /// A function of `Ask` without arguments.
    Named(&'static str),
    /// A value of the type `Ask`.
    Ask(Box<Expr>),
}

impl Approval {
    /// Reads `approval = ..`.
    pub(crate) fn parse(meta: &ParseNestedMeta<'_>) -> Result<Self> {
        let value = meta.value().map_err(|error| Error::new(error.span(), APPROVAL))?;
        let value: Expr = value.parse()?;
        let Expr::Lit(ExprLit { lit, .. }) = &value else { return Ok(Self::Ask(Box::new(value))) };
        let Lit::Str(text) = lit else { return Err(Error::new(lit.span(), APPROVAL)) };
        let name = match text.value().as_str() {
            "always" => "always",
            "each" => "each",
            "once" => "once",
            "once_per_session" => "once_per_session",
            _ => return Err(Error::new(text.span(), APPROVAL)),
        };
        Ok(Self::Named(name))
    }

    fn ask(&self, krate: &Path) -> TokenStream {
        match self {
            Self::Named(name) => {
                let name = quote::format_ident!("{name}");
                quote!(#krate::toolset::Ask::#name())
            }
            Self::Ask(value) => quote_spanned!(value.span()=> #value),
        }
    }
}

impl Checks {
    /// What is wrong with them, given the parameters.
    pub(crate) fn refuse(&self, parameters: &[Parameter]) -> Result<()> {
        match &self.validate {
            Some(validate) if parameters.iter().all(|one| one.ident().is_none()) => {
                let message =
                    "there is nothing to validate: the model gives this tool no arguments";
                Err(Error::new_spanned(validate, message))
            }
            _ => Ok(()),
        }
    }

    /// The function that says whether a call may run; none if nothing is asked.
    pub(crate) fn admit(&self, krate: &Path, parameters: &[Parameter]) -> Option<TokenStream> {
        if self.validate.is_none() && self.approval.is_none() {
            return None;
        }
        let port = quote!(#krate::__private::port);
        let validated = self.validate.as_ref().map(|validate| {
            let idents = parameters.iter().filter_map(Parameter::ident);
            // The span of the validator, so that arguments that it does not take are shown there.
            let check = quote_spanned! {validate.span()=>
                let __legwork_check = #validate;
                __legwork_check(#(&__legwork_arguments.#idents),*)
            };
            quote! {
                let __legwork_admission = __legwork_admission.and(#krate::tool::validated(
                    __legwork_call,
                    |__legwork_arguments: &__LegworkArguments| { #check },
                ));
            }
        });
        let asked = self.approval.as_ref().map(|approval| {
            let ask = approval.ask(krate);
            quote! {
                static __LEGWORK_ASK: ::std::sync::OnceLock<#krate::toolset::Ask> =
                    ::std::sync::OnceLock::new();
                let __legwork_admission = __legwork_admission.and(
                    __LEGWORK_ASK.get_or_init(|| #ask).admit(&__legwork_spec(), __legwork_call),
                );
            }
        });
        Some(quote! {
            fn __legwork_admit(__legwork_call: &#port::AdmittedCall<'_>) -> #port::Admission {
                let __legwork_admission = #port::Admission::Run;
                #validated
                #asked
                __legwork_admission
            }
        })
    }
}
