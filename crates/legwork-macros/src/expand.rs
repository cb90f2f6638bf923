//! From the function to the constant.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Attribute, Error, Expr, ExprLit, ItemFn, Lit, Meta, Result, Signature};

use crate::options::Options;
use crate::parameter::Parameter;

/// What `#[tool(options)] item` becomes.
pub(crate) fn tool(options: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let options = Options::parse(options)?;
    let mut function: ItemFn = syn::parse2(item).map_err(|error| {
        Error::new(error.span(), "`#[tool]` goes before a function, plain or `async`")
    })?;
    refuse_signature(&function.sig)?;
    let parameters: Result<Vec<_>> = function.sig.inputs.iter_mut().map(Parameter::take).collect();
    let parameters = parameters?;
    refuse_resource(&options, &parameters)?;
    refuse_timeout(&options, &function.sig)?;
    options.checks.refuse(&parameters)?;
    let description = description(&function)?;
    Ok(constant(&options, function, &parameters, &description))
}

fn refuse_signature(signature: &Signature) -> Result<()> {
    let generics = &signature.generics;
    if let Some(generic) = generics.params.first() {
        return Err(Error::new_spanned(
            generic,
            "a tool has no generic parameters: the model needs one schema. Name the types, and \
             make a tool for each",
        ));
    }
    let parts = [
        generics.where_clause.as_ref().map(|part| part.to_token_stream()),
        signature.unsafety.as_ref().map(|part| part.to_token_stream()),
        signature.abi.as_ref().map(|part| part.to_token_stream()),
        signature.constness.as_ref().map(|part| part.to_token_stream()),
        signature.variadic.as_ref().map(|part| part.to_token_stream()),
    ];
    match parts.into_iter().flatten().next() {
        Some(part) => Err(Error::new_spanned(part, "a tool is a plain or an `async` function")),
        None => Ok(()),
    }
}

fn refuse_resource(options: &Options, parameters: &[Parameter]) -> Result<()> {
    let Some(resource) = &options.resource else { return Ok(()) };
    let name = resource.value();
    if parameters.iter().any(|parameter| parameter.may_be_named(&name)) {
        return Ok(());
    }
    let message =
        format!("there is no parameter `{name}`: `resource` names one that the model gives");
    Err(Error::new(resource.span(), message))
}

fn refuse_timeout(options: &Options, signature: &Signature) -> Result<()> {
    if options.timeout.is_none() || signature.asyncness.is_some() {
        return Ok(());
    }
    let message = "a timeout cannot stop a function that is not `async`: make it `async`, and await \
                   what takes long";
    Err(Error::new_spanned(signature.fn_token, message))
}

/// The doc comment, as it is sent to the model.
fn description(function: &ItemFn) -> Result<String> {
    let lines: Vec<_> = function.attrs.iter().filter_map(doc).collect();
    let unindented = lines.iter().map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end());
    let text = unindented.collect::<Vec<_>>().join("\n").trim().to_owned();
    if text.is_empty() {
        return Err(Error::new(
            function.sig.ident.span(),
            "a tool needs a doc comment: it tells the model what the tool does and when to call \
             it. Write `/// Adds two whole numbers.` above it",
        ));
    }
    Ok(text)
}

fn doc(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(meta) = &attribute.meta else { return None };
    match &meta.value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if meta.path.is_ident("doc") => {
            Some(text.value())
        }
        _ => None,
    }
}

fn constant(
    options: &Options,
    mut function: ItemFn,
    parameters: &[Parameter],
    description: &str,
) -> TokenStream {
    let krate = &options.krate;
    let ident = function.sig.ident.clone();
    let outer = take_outer(&mut function);
    let vis = std::mem::replace(&mut function.vis, syn::Visibility::Inherited);
    let name = options.name.as_ref().map_or_else(|| ident.unraw().to_string(), |n| n.value());
    let setters = options.setters();
    let arguments = arguments(krate, parameters);
    let call = call(krate, &ident, function.sig.asyncness.is_some(), parameters);
    let admit = options.checks.admit(krate, parameters);
    let admitting = admit.as_ref().map(|_| quote!(.admitting(__legwork_admit)));
    let undo = options.undo.as_ref().map(|undo| undo_of(krate, undo));
    let undoing = undo.as_ref().map(|_| quote!(.undoing(&__LegworkUndo)));
    quote! {
        #(#outer)*
        #[allow(non_upper_case_globals)]
        #vis const #ident: #krate::tool::Function = {
            #arguments
            #function
            #call
            #admit
            #undo
            fn __legwork_spec() -> ::std::sync::Arc<#krate::__private::core::ToolSpec> {
                static SPEC: ::std::sync::OnceLock<
                    ::std::sync::Arc<#krate::__private::core::ToolSpec>,
                > = ::std::sync::OnceLock::new();
                ::std::sync::Arc::clone(SPEC.get_or_init(|| {
                    let __legwork_schema = #krate::tool::schema::<__LegworkArguments>();
                    ::std::sync::Arc::new(
                        #krate::__private::core::ToolSpec::new(#name, #description, __legwork_schema)
                            #setters
                    )
                }))
            }
            #krate::tool::Function::new(__legwork_spec, __legwork_call) #admitting #undoing
        };
    }
}

/// The undo of a tool, by a function of the past call and the dependencies.
fn undo_of(krate: &syn::Path, undo: &syn::Path) -> TokenStream {
    let port = quote!(#krate::__private::port);
    let past = quote!(#krate::__private::core::undo::PastCall);
    // The span of the name, so that a function that does not fit is shown there.
    let run = quote_spanned!(undo.span()=> #undo(call.clone(), deps.clone()).await);
    quote! {
        struct __LegworkUndo;
        impl #port::Undo for __LegworkUndo {
            fn check<'a>(
                &'a self,
                _call: &'a #past,
                _later: &'a [#past],
                _deps: &'a #port::Deps,
            ) -> #port::BoxFuture<'a, ::std::result::Result<#port::Reach, #port::CannotUndo>> {
                #krate::tool::undo::by_function()
            }
            fn undo<'a>(
                &'a self,
                call: &'a #past,
                deps: &'a #port::Deps,
            ) -> #port::BoxFuture<
                'a,
                ::std::result::Result<::std::string::String, #port::CannotUndo>,
            > {
                ::std::boxed::Box::pin(async move {
                    #krate::tool::undo::outcome(#run)
                })
            }
        }
    }
}

/// The attributes that belong to the constant rather than to the function in it.
fn take_outer(function: &mut ItemFn) -> Vec<Attribute> {
    let is_outer =
        |a: &Attribute| ["doc", "cfg", "deprecated"].iter().any(|name| a.path().is_ident(name));
    let all = std::mem::take(&mut function.attrs);
    let (outer, inner) = all.into_iter().partition(is_outer);
    function.attrs = inner;
    outer
}

fn arguments(krate: &syn::Path, parameters: &[Parameter]) -> TokenStream {
    let fields = parameters.iter().filter_map(Parameter::field);
    let private = |name: &str| format!("{}::__private::{name}", path_text(krate));
    let (serde, schemars) = (private("serde"), private("schemars"));
    quote! {
        #[derive(#krate::__private::serde::Deserialize, #krate::__private::schemars::JsonSchema)]
        #[serde(crate = #serde, deny_unknown_fields)]
        #[schemars(crate = #schemars)]
        struct __LegworkArguments { #(#fields),* }
    }
}

fn path_text(path: &syn::Path) -> String {
    path.to_token_stream().to_string().replace(' ', "")
}

fn call(krate: &syn::Path, ident: &Ident, is_async: bool, parameters: &[Parameter]) -> TokenStream {
    let values = parameters.iter().map(Parameter::value);
    let wait = is_async.then(|| quote!(.await));
    // The span of the name, so that a result or a future that does not fit is shown there.
    let run = quote_spanned!(ident.span()=> #ident(#(#values),*)#wait);
    let outcome = quote_spanned! {ident.span()=>
        (&&&&&#krate::tool::returned::Kind::of(&__legwork_value)).outcome(__legwork_value)
    };
    quote! {
        fn __legwork_call<'a>(
            __legwork_call: &'a #krate::__private::core::ToolCall,
            __legwork_cx: &'a #krate::__private::port::ToolContext,
        ) -> #krate::__private::port::BoxFuture<'a, #krate::__private::core::ToolOutcome> {
            ::std::boxed::Box::pin(async move {
                #[allow(unused_imports)]
                use #krate::tool::returned::{
                    Fallible as _, FallibleOutcome as _, Outcome as _, Outcomes as _, Plain as _,
                    Refusable as _,
                };
                let __legwork_arguments =
                    match __legwork_cx.arguments::<__LegworkArguments>(__legwork_call) {
                        ::std::result::Result::Ok(__legwork_arguments) => __legwork_arguments,
                        ::std::result::Result::Err(__legwork_outcome) => return __legwork_outcome,
                    };
                let __legwork_value = #run;
                #outcome
            })
        }
    }
}
