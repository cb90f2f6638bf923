//! The parameters of the function.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Attribute, Error, FnArg, GenericArgument, Pat, PatType, PathArguments, Result, Type};

/// One parameter of the function.
pub(crate) enum Parameter {
    /// Given by the model.
    Field { ident: Ident, ty: Box<Type>, attributes: Vec<Attribute> },
    /// The context, filled in.
    Context { by_reference: bool },
    /// A dependency of a type, filled in.
    Dep { ty: Box<Type>, passing: Passing },
}

/// How a dependency is passed to the function.
#[derive(Clone, Copy)]
pub(crate) enum Passing {
    /// `#[dep] x: &T`
    Borrowed,
    /// `#[dep] x: T`
    Cloned,
    /// `x: Dep<T>`
    Shared,
}

impl Parameter {
    /// Reads a parameter, and takes from it the attributes that are not Rust's.
    pub(crate) fn take(argument: &mut FnArg) -> Result<Self> {
        let parameter = match argument {
            FnArg::Receiver(receiver) => {
                return Err(Error::new_spanned(
                    receiver,
                    "a tool has no `self`: make it a function of its own, or implement \
                     `legwork::port::Tool` for the type",
                ));
            }
            FnArg::Typed(parameter) => parameter,
        };
        let is_marked = take_dep(parameter)?;
        if let Some(ty) = shared_dep(&parameter.ty)? {
            if is_marked {
                let message = "`Dep<..>` is a dependency by itself: leave `#[dep]` out";
                return Err(Error::new_spanned(&parameter.ty, message));
            }
            take_attributes(parameter);
            return Ok(Self::Dep { ty, passing: Passing::Shared });
        }
        if is_marked {
            return dep(&parameter.ty);
        }
        let attributes = take_attributes(parameter);
        if let Some(by_reference) = context(&parameter.ty) {
            return Ok(Self::Context { by_reference });
        }
        let ident = name(&parameter.pat)?;
        refuse_type(&parameter.ty)?;
        Ok(Self::Field { ident, ty: parameter.ty.clone(), attributes })
    }

    /// Its field in the struct of arguments.
    pub(crate) fn field(&self) -> Option<TokenStream> {
        match self {
            Self::Field { ident, ty, attributes } => Some(quote!(#(#attributes)* #ident: #ty)),
            Self::Context { .. } | Self::Dep { .. } => None,
        }
    }

    /// Its name, if it is given by the model.
    pub(crate) fn ident(&self) -> Option<&Ident> {
        match self {
            Self::Field { ident, .. } => Some(ident),
            Self::Context { .. } | Self::Dep { .. } => None,
        }
    }

    /// What the function is given for it.
    pub(crate) fn value(&self) -> TokenStream {
        match self {
            Self::Dep { ty, passing } => {
                let need = match passing {
                    Passing::Borrowed | Passing::Cloned => quote!(need),
                    Passing::Shared => quote!(need_shared),
                };
                let dep = quote! {
                    match __legwork_cx.#need::<#ty>() {
                        ::std::result::Result::Ok(__legwork_dep) => __legwork_dep,
                        ::std::result::Result::Err(__legwork_outcome) => return __legwork_outcome,
                    }
                };
                match passing {
                    Passing::Borrowed | Passing::Shared => dep,
                    Passing::Cloned => quote!(::std::clone::Clone::clone(#dep)),
                }
            }
            Self::Field { ident, .. } => quote!(__legwork_arguments.#ident),
            Self::Context { by_reference: true } => quote!(__legwork_cx),
            Self::Context { by_reference: false } => {
                quote!(::std::clone::Clone::clone(__legwork_cx))
            }
        }
    }

    /// Whether it is the model's and of this name, as far as can be seen here.
    pub(crate) fn may_be_named(&self, name: &str) -> bool {
        match self {
            Self::Field { ident, attributes, .. } => {
                // `#[serde(rename)]` may give it any name.
                let renamed = attributes.iter().any(|a| a.path().is_ident("serde"));
                renamed || syn::ext::IdentExt::unraw(ident) == name
            }
            Self::Context { .. } | Self::Dep { .. } => false,
        }
    }
}

/// Takes away what describes the parameter to the model.
fn take_attributes(parameter: &mut PatType) -> Vec<Attribute> {
    let describes = |attribute: &Attribute| {
        ["doc", "serde", "schemars"].iter().any(|name| attribute.path().is_ident(name))
    };
    let all = std::mem::take(&mut parameter.attrs);
    let (described, rest) = all.into_iter().partition(describes);
    parameter.attrs = rest;
    described
}

/// Takes `#[dep]` away; whether it was there.
fn take_dep(parameter: &mut PatType) -> Result<bool> {
    let is_dep = |attribute: &Attribute| attribute.path().is_ident("dep");
    let Some(at) = parameter.attrs.iter().position(is_dep) else { return Ok(false) };
    parameter.attrs.remove(at).meta.require_path_only()?;
    parameter.attrs.retain(|attribute| !attribute.path().is_ident("doc"));
    Ok(true)
}

/// A dependency: borrowed, or cloned.
fn dep(ty: &Type) -> Result<Parameter> {
    match ty {
        Type::Reference(reference) if reference.mutability.is_some() => Err(Error::new_spanned(
            ty,
            "a dependency is shared by all calls: take `&T`, and put what changes behind a lock",
        )),
        Type::Reference(reference) => {
            Ok(Parameter::Dep { ty: reference.elem.clone(), passing: Passing::Borrowed })
        }
        owned => Ok(Parameter::Dep { ty: Box::new(owned.clone()), passing: Passing::Cloned }),
    }
}

/// The type of a dependency that is passed as `Dep<T>`; none if it is not.
fn shared_dep(ty: &Type) -> Result<Option<Box<Type>>> {
    let inner = match ty {
        Type::Reference(reference) => &*reference.elem,
        ty => ty,
    };
    let Type::Path(path) = inner else { return Ok(None) };
    let Some(last) = path.path.segments.last().filter(|last| last.ident == "Dep") else {
        return Ok(None);
    };
    if matches!(ty, Type::Reference(_)) {
        let message = "take `Dep<T>` by value: it is shared, and cheap to clone";
        return Err(Error::new_spanned(ty, message));
    }
    if let PathArguments::AngleBracketed(arguments) = &last.arguments
        && let (Some(GenericArgument::Type(of)), 1) = (arguments.args.first(), arguments.args.len())
    {
        return Ok(Some(Box::new(of.clone())));
    }
    let message = "a dependency has one type, as in `db: Dep<Db>`: that of the value that the \
                   agent is given by `Builder::dep`";
    Err(Error::new_spanned(ty, message))
}

/// Whether a type is the context, and then whether by reference.
fn context(ty: &Type) -> Option<bool> {
    let (ty, by_reference) = match ty {
        Type::Reference(reference) => (&*reference.elem, true),
        ty => (ty, false),
    };
    let Type::Path(path) = ty else { return None };
    (path.path.segments.last()?.ident == "ToolContext").then_some(by_reference)
}

fn name(pattern: &Pat) -> Result<Ident> {
    match pattern {
        Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
            Ok(name.ident.clone())
        }
        other => Err(Error::new_spanned(
            other,
            "a parameter of a tool needs a name that the model can use: take it apart inside",
        )),
    }
}

fn refuse_type(ty: &Type) -> Result<()> {
    match ty {
        Type::Reference(_) => Err(Error::new_spanned(
            ty,
            "a tool owns its arguments: take `String` for `&str`, `Vec<T>` for `&[T]`; \
             only `&ToolContext` and a dependency marked `#[dep]` may be borrowed",
        )),
        Type::ImplTrait(_) => Err(Error::new_spanned(
            ty,
            "a parameter of a tool needs one type, for its schema: name the type",
        )),
        _ => Ok(()),
    }
}
