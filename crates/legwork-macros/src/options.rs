//! The options in `#[tool(..)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::meta::ParseNestedMeta;
use syn::parse::Parser as _;
use syn::{Error, Lit, LitStr, Path, Result, parse_quote};

use crate::checks::{Approval, Checks};
use crate::labels::Labels;

const TIMEOUT: &str = "a timeout is a text of a whole number above 0 and a unit (us, ms, s, m or \
                       h), such as \"30s\"";

const KNOWN: &str = "`name`, `read_only`, `idempotent`, `once`, `mode`, `sequential`, `timeout`, \
                     `max_retries`, `max_calls`, `resource`, `max_result`, `rest`, `validate`, \
                     `approval`, `undo`, `tags`, `metadata` or `crate`";

const MODE: &str = "`mode` is \"sequential\" (alone), \"parallel_ordered\" (the default) or \
                    \"parallel_unordered\"";

/// The options in `#[tool(..)]`.
pub(crate) struct Options {
    pub(crate) name: Option<LitStr>,
    pub(crate) resource: Option<LitStr>,
    pub(crate) krate: Path,
    pub(crate) checks: Checks,
    pub(crate) timeout: Option<u64>,
    effect: Option<Effect>,
    mode: Option<Mode>,
    max_retries: Option<u32>,
    max_calls: Option<u32>,
    max_result: Option<u32>,
    rest: Option<LitStr>,
    /// The function that takes a call back.
    pub(crate) undo: Option<Path>,
    labels: Labels,
}

enum Mode {
    Sequential,
    ParallelOrdered,
    ParallelUnordered,
}

enum Effect {
    ReadOnly,
    Idempotent,
    Ask,
    Tell,
}

impl Options {
    pub(crate) fn parse(tokens: TokenStream) -> Result<Self> {
        let mut options = Self {
            name: None,
            resource: None,
            krate: parse_quote!(::legwork),
            checks: Checks::default(),
            timeout: None,
            effect: None,
            mode: None,
            max_retries: None,
            max_calls: None,
            max_result: None,
            rest: None,
            undo: None,
            labels: Labels::default(),
        };
        let mut seen = Vec::new();
        syn::meta::parser(|meta| {
            let Some(key) = meta.path.get_ident().map(ToString::to_string) else {
                return Err(meta.error(format!("a tool has no such option: use {KNOWN}")));
            };
            if seen.contains(&key) {
                return Err(meta.error(format!("`{key}` is given twice")));
            }
            let result = options.take(&key, &meta);
            seen.push(key);
            result
        })
        .parse2(tokens)?;
        Ok(options)
    }

    fn take(&mut self, key: &str, meta: &ParseNestedMeta<'_>) -> Result<()> {
        match key {
            "name" => self.name = Some(tool_name(meta.value()?.parse()?)?),
            "read_only" => self.set_effect(Effect::ReadOnly, meta)?,
            "idempotent" => self.set_effect(Effect::Idempotent, meta)?,
            "once" => self.set_effect(on_doubt(meta)?, meta)?,
            "sequential" => self.set_mode(Mode::Sequential, meta)?,
            "mode" => self.set_mode(mode(&meta.value()?.parse()?)?, meta)?,
            "timeout" => self.timeout = Some(timeout(&meta.value()?.parse()?)?),
            "max_retries" => self.max_retries = Some(count(key, &meta.value()?.parse()?)?),
            "max_calls" => self.max_calls = Some(count(key, &meta.value()?.parse()?)?),
            "max_result" => self.max_result = Some(count(key, &meta.value()?.parse()?)?),
            "rest" => self.rest = Some(meta.value()?.parse()?),
            "validate" => self.checks.validate = Some(meta.value()?.parse()?),
            "undo" => self.undo = Some(meta.value()?.parse()?),
            "approval" => self.checks.approval = Some(Approval::parse(meta)?),
            "tags" => self.labels.take_tags(meta)?,
            "metadata" => self.labels.take_metadata(meta)?,
            "resource" => self.resource = Some(meta.value()?.parse()?),
            "crate" => self.krate = meta.value()?.parse::<LitStr>()?.parse()?,
            other => return Err(meta.error(format!("a tool has no option `{other}`: use {KNOWN}"))),
        }
        Ok(())
    }

    fn set_effect(&mut self, effect: Effect, meta: &ParseNestedMeta<'_>) -> Result<()> {
        if self.effect.replace(effect).is_some() {
            return Err(
                meta.error("a tool has one effect class: give `read_only`, `idempotent` or `once`")
            );
        }
        Ok(())
    }

    fn set_mode(&mut self, mode: Mode, meta: &ParseNestedMeta<'_>) -> Result<()> {
        if self.mode.replace(mode).is_some() {
            return Err(meta.error("a tool has one mode: give `sequential` or `mode`"));
        }
        Ok(())
    }

    /// The calls that set these options on a `ToolSpec`.
    pub(crate) fn setters(&self) -> TokenStream {
        let krate = &self.krate;
        let core = quote!(#krate::__private::core);
        let effect = self.effect.as_ref().map(|effect| match effect {
            Effect::ReadOnly => quote!(ReadOnly),
            Effect::Idempotent => quote!(Idempotent),
            Effect::Ask => quote!(Once(#core::OnDoubt::Ask)),
            Effect::Tell => quote!(Once(#core::OnDoubt::Tell)),
        });
        let effect = effect.map(|effect| quote!(.effect(#core::EffectClass::#effect)));
        let mode = self.mode.as_ref().map(|mode| match mode {
            Mode::Sequential => quote!(Sequential),
            Mode::ParallelOrdered => quote!(ParallelOrdered),
            Mode::ParallelUnordered => quote!(ParallelUnordered),
        });
        let mode = mode.map(|mode| quote!(.mode(#core::tool::ExecutionMode::#mode)));
        let timeout = self.timeout.map(|micros| quote!(.timeout(#core::Micros(#micros))));
        let retries = self.max_retries.map(|count| quote!(.max_retries(#count)));
        let calls = self.max_calls.map(|count| quote!(.max_calls(#count)));
        let bytes = self.max_result.map(u64::from).map(|bytes| quote!(.max_result(#bytes)));
        let rest = self.rest.as_ref().map(|how| quote!(.rest(#how)));
        let resource = self.resource.as_ref().map(|name| quote!(.resource(#name)));
        let labels = self.labels.setters(krate);
        quote!(#effect #mode #timeout #retries #calls #bytes #rest #resource #labels)
    }
}

fn on_doubt(meta: &ParseNestedMeta<'_>) -> Result<Effect> {
    let value: LitStr = meta.value()?.parse()?;
    match value.value().as_str() {
        "ask" => Ok(Effect::Ask),
        "tell" => Ok(Effect::Tell),
        _ => Err(Error::new(
            value.span(),
            "`once` says what to do when it is not known whether a call happened: \"ask\" a person \
             or \"tell\" the model",
        )),
    }
}

/// A name that every provider takes.
fn tool_name(name: LitStr) -> Result<LitStr> {
    let text = name.value();
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if text.is_empty() || text.len() > 64 || !text.chars().all(is_allowed) {
        let message = "the name of a tool is 1 to 64 of the characters a-z, A-Z, 0-9, _ and -";
        return Err(Error::new(name.span(), message));
    }
    Ok(name)
}

fn count(key: &str, literal: &Lit) -> Result<u32> {
    let count = match literal {
        Lit::Int(number) => number.base10_parse().ok(),
        _ => None,
    };
    let message = || format!("`{key}` is a whole number, as in `{key} = 3`");
    count.ok_or_else(|| Error::new(literal.span(), message()))
}

fn mode(value: &Lit) -> Result<Mode> {
    let Lit::Str(text) = value else { return Err(Error::new(value.span(), MODE)) };
    match text.value().as_str() {
        "sequential" => Ok(Mode::Sequential),
        "parallel_ordered" => Ok(Mode::ParallelOrdered),
        "parallel_unordered" => Ok(Mode::ParallelUnordered),
        _ => Err(Error::new(text.span(), MODE)),
    }
}

fn timeout(value: &Lit) -> Result<u64> {
    match value {
        Lit::Str(text) => micros(text),
        other => Err(Error::new(other.span(), TIMEOUT)),
    }
}

/// A length of time such as `30s` in microseconds.
fn micros(text: &LitStr) -> Result<u64> {
    let value = text.value();
    let digits = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
    let (number, unit) = value.split_at(digits);
    let factor = match unit.trim() {
        "us" => Some(1),
        "ms" => Some(1_000),
        "s" => Some(1_000_000),
        "m" | "min" => Some(60_000_000),
        "h" => Some(3_600_000_000),
        _ => None,
    };
    let number: Option<u64> = number.parse().ok();
    let micros = number.zip(factor).and_then(|(number, factor)| number.checked_mul(factor));
    micros.filter(|micros| *micros > 0).ok_or_else(|| Error::new(text.span(), TIMEOUT))
}
